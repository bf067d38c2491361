/* Is one of some functions under way, in the running thread?  --no-failures-in names them. */
#ifndef PROCESS_WITHIN_H
#define PROCESS_WITHIN_H

#include <stdbool.h>

/* Patterns for names of functions, as symbol tables have them or as one writes them in C++ (process/cxx_name.h),
 * separated by commas.  After the programs are loaded.  unknown: is told each one that fits no function. */
void within_set(const char *patterns, void (*unknown)(const char *pattern));

/* pre: on a fiber, unless nothing was set. */
bool within_now(void);

#endif
