/* What check and replay have in common: output files, the search, reports, exit status. */
#ifndef CLI_SESSION_H
#define CLI_SESSION_H

#include "cli/check_job.h"
#include "finding/finding.h"

/* The exit statuses of the tidemark command. */
enum exit_status {
  EXIT_STATUS_CLEAN = 0,
  EXIT_STATUS_FINDINGS = 1,
  EXIT_STATUS_USAGE = 2,
  EXIT_STATUS_PROGRAM = 3,
  EXIT_STATUS_INTERNAL = 4,
  EXIT_STATUS_INCOMPLETE = 5,
};

/* One line on stderr, "tidemark: ...", and the status back. */
int session_fail(enum exit_status status, const struct str *error);

/* The program cannot be checked: say so, in every report that was asked for, too. */
int session_refuse(const struct check_job *job, const struct options *o, const struct str *error);

/* Report results that are there; same_program: it can be run again, for what they lack. */
int session_report(struct check_job *job, const struct options *o, bool same_program,
                   struct results *results);

/* Search and report.  `results` is filled for the caller if that is not an error.  replay: it is
 * one execution, with the program's output shown. */
int session_run(struct check_job *job, const struct options *o, bool replay,
                struct results *results);

#endif
