/* Call stacks for findings of analyses.
 *
 * The search names lines only (access/stacks.h).  Each execution that a finding describes is run once
 * more, alone, and says how the program came there. */
#ifndef CLI_CALL_STACKS_H
#define CLI_CALL_STACKS_H

#include "cli/check_job.h"
#include "finding/finding.h"
#include <signal.h>

#define CALL_STACKS_MAX 100 /* executions; findings of others stay without */

/* Fills in what is there, except for findings that will not be shown (silenced, one for each); findings whose execution
 * cannot be run again stay as they are, and so do those for which the time, so many seconds in all or until there is a
 * hurry, does not suffice. */
void call_stacks_add(const char *worker, const struct check_job *job, double seconds,
                     const volatile sig_atomic_t *hurry, const bool *silenced,
                     struct results *results);

#endif
