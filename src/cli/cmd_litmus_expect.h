/* Private to `tidemark litmus`: --expect=FILE, verdicts and observations of an earlier run.
 *
 * The file holds lines as the command prints them ("Test NAME MODEL Allowed|Forbidden" and
 * "Observation NAME Never|Sometimes|Always N M"); other lines are ignored.  A test without a line
 * and a line without a test are differences, too. */
#ifndef CLI_CMD_LITMUS_EXPECT_H
#define CLI_CMD_LITMUS_EXPECT_H

#include "cli/cmd_litmus_report.h"

struct expectation;

struct expectation *expectation_load(const char *path, struct arena *a);
bool expectation_met(struct expectation *e,
                     const struct litmus_outcome *o); /* prints differences */
bool expectation_finish(struct expectation *e);       /* lines never used */

#endif
