/* One search: the only place that knows the program, the model, the search and the findings, and
 * connects them. */
#ifndef RUNTIME_SESSION_H
#define RUNTIME_SESSION_H

#include "base/str.h"
#include "finding/job.h"

/* Search as the job says and write the results.  Returns the worker's exit status. */
int session_run(const struct job *job);

bool session_is_cxl(void);

/* The running execution: failures so far, bytes given out by tidemark_alloc in a part of its region,
 * outcome so far. */
int session_failures(void);
size_t *session_allocated(int part);
void session_outcome(const char *text);
size_t session_outcome_length(void);
void session_outcome_append(const char *text, bool any); /* as it is, no separator */
void session_outcome_truncate(size_t length, bool any);
const char *session_outcome_text(void); /* NULL: there was no call */

/* Breakpoints for a debugger: a failure was injected, a finding is about to be reported. */
void tidemark_debug_failure(void);
void tidemark_debug_finding(void);

#endif
