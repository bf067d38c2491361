/* Private to `tidemark litmus`: its options. */
#ifndef CLI_CMD_LITMUS_OPTIONS_H
#define CLI_CMD_LITMUS_OPTIONS_H

#include "axiom/check.h"
#include "cli/cmd_litmus_tests.h"

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
  X("cross-check", NULL, "compare the states with an enumerator that uses no solver") \
  X("target", "NAME", \
    "C programs: sc, x86, c11, aarch64, arm, power, riscv or lkmm (by the model)") \
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

/* Options, tests and, with --compare, models; false after saying what is wrong with them.  --help ends
 * the process. */
bool litmus_read_arguments(struct litmus_options *o, struct test_list *tests, int argc,
                           char **argv);

#endif
