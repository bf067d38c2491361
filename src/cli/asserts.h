/* Are there assertions that the compiler was told to leave out?  A clean report says nothing about them. */
#ifndef CLI_ASSERTS_H
#define CLI_ASSERTS_H

#include "base/str.h"

/* Appends "queue.c was compiled with -DNDEBUG ...", or nothing: only for sources that can be read and use assert. */
void asserts_note(const char *program, struct str *out);

#endif
