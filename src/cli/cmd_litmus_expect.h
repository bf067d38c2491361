/* Private to `tidemark litmus`: --expect=FILE, results of an earlier run, ours or herd7's.
 *
 * Ours: lines as the command prints them ("Test NAME MODEL Allowed|Forbidden" and "Observation NAME
 * Never|Sometimes|Always N M").  herd's: "Test NAME Allowed|Forbidden|Required", which says what
 * kind of condition it is, then the states and "Observation".  Other lines are ignored.  A test
 * without a line and a line without a test are differences, too. */
#ifndef CLI_CMD_LITMUS_EXPECT_H
#define CLI_CMD_LITMUS_EXPECT_H

#include "axiom/arena.h"
#include <jansson.h>
#include <stdbool.h>

struct expectation;

/* NULL and errno if the file cannot be opened.  herd counts executions: its numbers are compared
 * only if we do so, too. */
struct expectation *expectation_load(const char *path, bool count_executions, struct arena *a);

/* `result` is a test's JSON.  Prints differences. */
bool expectation_met(struct expectation *e, const json_t *result);
bool expectation_finish(struct expectation *e); /* prints lines that were never used */

#endif
