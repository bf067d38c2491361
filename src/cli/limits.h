/* Limits of the system under which the worker could not even start. */
#ifndef CLI_LIMITS_H
#define CLI_LIMITS_H

#include "base/str.h"
#include <stdbool.h>

/* Lifts those that may be lifted.  false: one line in `error`, what it is and how to lift it. */
bool limits_suffice(struct str *error);

/* Part of it: is there enough that may be committed?  The files are those of proc(5). */
bool limits_commit_suffices(const char *overcommit_file, const char *meminfo_file,
                            struct str *error);

#endif
