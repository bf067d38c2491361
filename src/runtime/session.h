/* One search: the only place that knows the program, the model, the search and the findings, and
 * connects them. */
#ifndef RUNTIME_SESSION_H
#define RUNTIME_SESSION_H

#include "base/str.h"
#include "finding/job.h"

/* Search as the job says and write the results.  Returns the worker's exit status. */
int session_run(const struct job *job);

/* The running execution: failures before it, and its outcome so far. */
int session_level(void);
void session_outcome(const char *text);

/* Breakpoints for a debugger: a failure was injected, a finding is about to be reported. */
void tidemark_debug_failure(void);
void tidemark_debug_finding(void);

#endif
