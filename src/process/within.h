/* Is one of some functions under way, in the running thread?  --no-failures-in names them. */
#ifndef PROCESS_WITHIN_H
#define PROCESS_WITHIN_H

#include "base/str.h"
#include <stdbool.h>

/* Patterns for names of functions, as symbol tables have them, separated by commas.  After the programs are loaded.
 * false and one line in *error: one of them fits no function. */
bool within_set(const char *patterns, struct str *error);

/* pre: on a fiber, unless nothing was set. */
bool within_now(void);

#endif
