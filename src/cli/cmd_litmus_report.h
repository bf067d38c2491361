/* Private to `tidemark litmus`: options, one test's outcome, and its output as text and JSON. */
#ifndef CLI_CMD_LITMUS_REPORT_H
#define CLI_CMD_LITMUS_REPORT_H

#include "axiom/check.h"
#include <jansson.h>
#include <stdio.h>

/* option, argument (or NULL), help */
#define LITMUS_OPTIONS(X) \
  X("model", "NAME|FILE.cat", "the memory model (x86tso for X86 tests)") \
  X("include", "FOLDER[:FOLDER]", "where else to look for files that a model includes") \
  X("states", NULL, "list every final state") \
  X("core", "minimal|fast|none", "why a test is forbidden (minimal)") \
  X("unroll", "N", "how often a loop may go round (2)") \
  X("json", "FILE", "results as JSON, - for standard output") \
  X("format", "text|herd", "herd: logs as herd7 writes them, for mcompare7 and the like (text)") \
  X("expect", "FILE", "compare with earlier output or herd's; exit 1 if something differs") \
  X("compare", NULL, "M1 M2 TEST...: list the tests on which two models differ") \
  X("count", "states|executions", "what Observation counts (states)") \
  X("verdict-only", NULL, "do not count states: for tests with very many") \
  X("timeout", "S", "give a test up after S seconds; exit 5") \
  X("jobs", "N", "so many tests at a time (1)") \
  X("distinct-actions", NULL, "statements never share actions between executions") \
  X("dot", "FILE", "the witness, or what is forbidden, for Graphviz") \
  X("svg", "FILE", "the witness, or what is forbidden, as a picture") \
  X("quiet", NULL, "no witnesses and cores in the text") \
  X("time", NULL, "variables, clauses and CPU seconds after each test") \
  X("cross-check", NULL, "X86: compare the states with the enumerator that uses no solver") \
  X("target", "NAME", \
    "C programs: sc, x86, c11, aarch64, riscv or lkmm (by the names that the model uses)") \
  X("minimise-orders", NULL, \
    "C programs: the weakest orders and fewest fences that still verify, as a diff") \
  X("help", NULL, "this text")

struct litmus_options {
  const char *model, *include, *json, *expect, *dot, *svg;
  struct check_options check;
  const char *compare_with[2]; /* models */
  const char *target;          /* C programs: see cprog/c_target.h */
  char **compiler_flags;       /* what follows -- */
  int compiler_flag_count;
  bool minimise_orders;
  int unroll, jobs, timeout_seconds;
  bool herd, states, compare, quiet, time, cross_check;
};

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
