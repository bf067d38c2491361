/* The libraries that a program is linked with, as the dynamic linker finds them now. */
#ifndef CLI_LIBRARIES_H
#define CLI_LIBRARIES_H

#include "cli/program.h"

/* Appends their paths, none if it is no such program.  Nothing of the program or of them is executed. */
void libraries_of(const char *program, word_list *paths);

#endif
