/* From options and a command line to what the worker is told (finding/job.h) and what reports
 * record (report/run.h). */
#ifndef CLI_CHECK_JOB_H
#define CLI_CHECK_JOB_H

#include "cli/options.h"
#include "cli/program.h"
#include "report/run.h"

struct check_job {
  struct run run;
  word_list settings, words;
};

enum check_job_error { CHECK_JOB_OK = 0, CHECK_JOB_USAGE = 2, CHECK_JOB_PROGRAM = 3 };

/* program: the command line of the program, empty if --machine gives the commands.  Anything but
 * CHECK_JOB_OK is an exit status, with one line in `error`. */
enum check_job_error check_job_build(struct check_job *j, const struct options *o,
                                     char *const *program, int words, struct str *error);
void check_job_set(struct check_job *j, const char *key, const char *value);
void check_job_free(struct check_job *j);

/* Is it of interest which fences would make the program store-buffer safe? */
bool check_job_wants_fences(const struct options *o);

/* Can the search be divided into parts?  Otherwise error says why not. */
bool check_job_divides(const struct options *o, struct str *error);

/* Does a part that takes long wait until others are done, also if there is one worker? */
bool check_job_puts_off(const struct options *o);

/* Would its parts be units (units.h), or ranges? */
bool check_job_has_units(const struct options *o);

#endif
