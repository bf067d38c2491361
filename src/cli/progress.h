/* One line on the terminal that says how far a search is. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "base/str.h"
#include "finding/job.h"

/* "1,204 executions (8,021/s), 1 finding, 12 of 90 failure points, about 4 s left", at most
 * `width` columns. */
void progress_text(const struct job_status *status, double seconds, int width, struct str *out);

/* "12 of 100 schedules", or "120 schedules" if nobody knows how many there are. */
void progress_schedules(const struct job_status *status, struct str *out);

void progress_show(const struct job_status *status, double seconds);
void progress_erase(void);

#endif
