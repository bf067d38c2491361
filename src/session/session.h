/* A session puts a job, a program, a memory model, a search and its findings together: the only folder that knows them
 * all. session.c has what all models share, session_pm.c, session_cxl.c and session_ordinary.c set up one search
 * each. */
#ifndef SESSION_SESSION_H
#define SESSION_SESSION_H

#include "base/str.h"
#include "finding/job.h"

/* Search as the job says and write the results.  Returns the worker's exit status. */
int session_run(const struct job *job);

#endif
