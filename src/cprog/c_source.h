/* Lines of the source, for messages. */
#ifndef CPROG_C_SOURCE_H
#define CPROG_C_SOURCE_H

#include "cprog/c_exec.h"

/* Gives every statement of the program its source line as text. */
void c_source_texts(struct c_exec *x);

/* A line as it is; NULL if it cannot be read. */
const char *c_source_text(struct place where, struct arena *a);

/* A line without the blanks around it; NULL if it cannot be read. */
const char *c_source_line(struct place where, struct arena *a);

#endif
