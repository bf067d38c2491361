/* Private to `tidemark litmus`: one test's outcome, and its output as text and JSON. */
#ifndef CLI_CMD_LITMUS_REPORT_H
#define CLI_CMD_LITMUS_REPORT_H

#include "cli/cmd_litmus_options.h"
#include <jansson.h>
#include <stdio.h>

struct litmus_outcome {
  const char *file, *model_name;
  const struct program *program; /* NULL if it could not be read */
  const struct model *model;
  struct check_result result;
  struct diag error;
  bool failed;
  double seconds;
};

const char *litmus_observation(const struct litmus_outcome *o); /* Never, Sometimes or Always */
void litmus_print_text(const struct litmus_outcome *o, const struct litmus_options *options,
                       FILE *out);
void litmus_print_herd(const struct litmus_outcome *o, FILE *out);
json_t *litmus_json(const struct litmus_outcome *o, const struct litmus_options *options);

/* Why nothing like it can be, for tests and C programs; `file` is where members without one stand.
 * JSON: null if there is no core. */
void litmus_print_core(const struct core *c, const char *file, FILE *out);
json_t *litmus_json_core(const struct core *c, const char *file);

/* All states as text, sorted; the array and its strings live in the arena. */
char **litmus_sorted_states(const struct litmus_outcome *o, struct arena *a);

/* The final state as text, "0:rax=1; [x]=2;" */
void litmus_state_text(const struct program *p, const int64_t *values, struct str *out);

#endif
