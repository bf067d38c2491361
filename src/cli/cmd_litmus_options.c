#include "cli/cmd_litmus_options.h"
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void usage(FILE *out) {
  fputs("usage: tidemark litmus [OPTION...] TEST... [-- COMPILER FLAG...]\n"
        "Checks litmus tests (.litmus, .test, @FILE with a list, - for standard input) and C "
        "programs (.c, .cpp) against a memory model.\n",
        out);
#define X(name, argument, help) \
  fprintf(out, "  --%s%s%-*s %s\n", name, argument ? "=" : " ", (int)(32 - strlen(name)), \
          argument ? argument : "", help);
  LITMUS_OPTIONS(X)
#undef X
}

static const char *known_option(const char *text, size_t length, bool *has_argument) {
#define X(name, argument, help) \
  if (strlen(name) == length && !strncmp(name, text, length)) { \
    *has_argument = (argument) != (const char *)0; \
    return name; \
  }
  LITMUS_OPTIONS(X)
#undef X
  return NULL;
}

static bool read_number(const char *value, long low, long high, int *number) {
  char *end;
  long n = strtol(value, &end, 10);
  *number = (int)n;
  return *value && !*end && n >= low && n <= high;
}

static bool set_option(struct litmus_options *o, const char *name, const char *value) {
  static const struct {
    const char *name;
    size_t offset;
  } texts[] = {{"model", offsetof(struct litmus_options, model)},
               {"include", offsetof(struct litmus_options, include)},
               {"json", offsetof(struct litmus_options, json)},
               {"expect", offsetof(struct litmus_options, expect)},
               {"dot", offsetof(struct litmus_options, dot)},
               {"svg", offsetof(struct litmus_options, svg)},
               {"target", offsetof(struct litmus_options, target)}};
  for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++)
    if (!strcmp(texts[i].name, name)) {
      *(const char **)((char *)o + texts[i].offset) = value;
      return *value != 0;
    }
  if (!strcmp(name, "core")) {
    bool minimal = !strcmp(value, "minimal"), fast = !strcmp(value, "fast");
    o->check.core = minimal ? CORE_MINIMAL : fast ? CORE_FAST : CORE_NONE;
    return minimal || fast || !strcmp(value, "none");
  }
  if (!strcmp(name, "count")) {
    o->check.count_executions = !strcmp(value, "executions");
    return o->check.count_executions || !strcmp(value, "states");
  }
  if (!strcmp(name, "format")) {
    o->herd = !strcmp(value, "herd");
    return o->herd || !strcmp(value, "text");
  }
  if (!strcmp(name, "unroll"))
    return read_number(value, 0, 64, &o->unroll);
  if (!strcmp(name, "jobs"))
    return read_number(value, 1, 256, &o->jobs);
  if (!strcmp(name, "timeout"))
    return read_number(value, 1, 1000000, &o->timeout_seconds);
  o->states |= !strcmp(name, "states");
  o->check.distinct_actions |= !strcmp(name, "distinct-actions");
  o->check.verdict_only |= !strcmp(name, "verdict-only");
  o->quiet |= !strcmp(name, "quiet");
  o->time |= !strcmp(name, "time");
  o->cross_check |= !strcmp(name, "cross-check");
  o->minimise_orders |= !strcmp(name, "minimise-orders");
  return true;
}

static bool read_option(struct litmus_options *o, const char *argument) {
  const char *equals = strchr(argument, '=');
  size_t length = equals ? (size_t)(equals - argument) : strlen(argument);
  bool has_argument;
  const char *name = known_option(argument + 2, length - 2, &has_argument);
  if (!name) {
    fprintf(stderr, "tidemark litmus: unknown option '%.*s'\n", (int)length, argument);
    return false;
  }
  if (has_argument != (equals != NULL)) {
    fprintf(stderr, "tidemark litmus: --%s %s\n", name,
            has_argument ? "needs a value: --option=VALUE" : "takes no value");
    return false;
  }
  if (!set_option(o, name, equals ? equals + 1 : "")) {
    fprintf(stderr, "tidemark litmus: bad value in '%s'\n", argument);
    return false;
  }
  return true;
}

/* -DNAME, -O2: said at once, or it would be a test that is not there. */
static bool is_of_compiler(const char *word) {
  if (word[0] != '-' || !word[1] || access(word, F_OK) == 0)
    return false;
  fprintf(stderr,
          "tidemark litmus: unknown option '%s': options of the compiler come last, behind '--'\n",
          word);
  return true;
}

bool litmus_read_arguments(struct litmus_options *o, struct test_list *tests, int argc,
                           char **argv) {
  int models = 0; /* those of --compare */
  for (int i = 1; i < argc; i++)
    o->compare |= !strcmp(argv[i], "--compare");
  for (int i = 1; i < argc; i++) {
    bool fine = true;
    if (!strcmp(argv[i], "--help")) {
      usage(stdout);
      exit(0);
    }
    if (!strcmp(argv[i], "--")) {
      o->compiler_flags = argv + i + 1;
      o->compiler_flag_count = argc - i - 1;
      break;
    }
    if (!strncmp(argv[i], "--", 2))
      fine = read_option(o, argv[i]);
    else if (is_of_compiler(argv[i]))
      fine = false;
    else if (o->compare && models < 2)
      o->compare_with[models++] = argv[i];
    else
      fine = test_list_add(tests, argv[i]);
    if (!fine)
      return false;
  }
  if (tests->paths.length < 1) {
    fprintf(stderr, o->compare ? "tidemark litmus: --compare needs two models and tests\n"
                               : "tidemark litmus: no tests given, see --help\n");
    return false;
  }
  return true;
}
