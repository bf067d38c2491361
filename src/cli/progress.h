/* One line on the terminal that says how far a search is. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "base/curve.h"
#include "base/str.h"
#include "finding/job.h"

/* "1,204 executions (8,021/s), 1 finding, at failure point 12 of 90 (9 %, 30 s left)", at most `width`
 * columns.  time: how long it took to get how far, which is added to. */
void progress_text(const struct job_status *status, struct curve *time, double seconds, int width,
                   struct str *out);

/* For a search that ended early: " (stopped at failure point 12 of 90 of the first execution, about 30 s before the
 * end)", " (120 schedules are done)", or nothing where that would say nothing. */
void progress_reached(const struct job_status *status, const struct curve *time, double seconds,
                      struct str *out);

/* So far it has come after so many seconds. */
void progress_note(const struct job_status *status, struct curve *time, double seconds);

void progress_show(const struct job_status *status, struct curve *time, double seconds);
void progress_erase(void);
int progress_terminal_width(void); /* of the standard error; 80 where it is not known */

#endif
