/* One search: the only place that knows the program, the model, the search and the findings, and
 * connects them. */
#ifndef SESSION_SESSION_H
#define SESSION_SESSION_H

#include "base/str.h"
#include "finding/job.h"

/* Search as the job says and write the results.  Returns the worker's exit status. */
int session_run(const struct job *job);

#endif
