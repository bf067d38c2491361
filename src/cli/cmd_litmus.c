#include "cli/cmd_litmus.h"
#include "axiom/enumerate.h"
#include "axiom/litmus.h"
#include "cli/cmd_litmus_expect.h"
#include "cli/cmd_litmus_report.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { EXIT_DIFFERENT = 1, EXIT_USAGE = 2 };

struct loaded_model {
  const char *argument, *name;
  struct model *model;
  struct diag error;
  bool reported; /* the error was printed; once is enough for a batch */
};

struct batch {
  struct litmus_options options;
  struct arena arena; /* for the whole run */
  char *directory;    /* of the models we ship */
  LIST(struct loaded_model) models;
  LIST(const char *) tests;
  struct expectation *expected;
  json_t *json;
  int status;
};

/* ---- models ------------------------------------------------------------------------------- */

static char *models_directory(struct arena *a) {
  const char *set = getenv("TIDEMARK_MODELS");
  if (set && *set)
    return arena_text(a, set, strlen(set));
  char self[4096];
  ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
  if (n <= 0)
    return arena_text(a, "models", 6);
  self[n] = 0;
  char *slash = strrchr(self, '/');
  *slash = 0;
  static const char *const beside[] = {"../share/tidemark/models", "../../models"};
  for (unsigned i = 0; i < sizeof beside / sizeof *beside; i++) {
    char real[PATH_MAX];
    if (realpath(arena_format(a, "%s/%s", self, beside[i]), real))
      return arena_text(a, real, strlen(real));
  }
  return arena_text(a, "models", 6);
}

/* A path if it looks like one, else a model that we ship. */
static const char *model_path(struct batch *b, const char *argument) {
  size_t n = strlen(argument);
  if (strchr(argument, '/') ||
      (n > 4 && !strcmp(argument + n - 4, ".cat") && !access(argument, R_OK)))
    return argument;
  bool has_suffix = n > 4 && !strcmp(argument + n - 4, ".cat");
  return arena_format(&b->arena, "%s/%s%s", b->directory, argument, has_suffix ? "" : ".cat");
}

static struct loaded_model *find_model(struct batch *b, const char *argument) {
  for (int i = 0; i < b->models.length; i++)
    if (!strcmp(b->models.data[i].argument, argument))
      return &b->models.data[i];
  struct loaded_model m = {.argument = argument};
  const char *base = strrchr(argument, '/');
  base = base ? base + 1 : argument;
  size_t n = strlen(base);
  m.name = arena_text(&b->arena, base, n > 4 && !strcmp(base + n - 4, ".cat") ? n - 4 : n);
  m.model = model_load(model_path(b, argument), b->directory, &m.error);
  list_push(&b->arena, &b->models, m);
  return &b->models.data[b->models.length - 1];
}

/* ---- one test ----------------------------------------------------------------------------- */

static double cpu_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void check_one(struct batch *b, const char *file, const char *model, struct arena *a,
                      struct litmus_outcome *o) {
  double start = cpu_seconds();
  memset(o, 0, sizeof *o);
  o->file = file;
  o->failed = true;
  o->program = test_load(file, a, b->options.unroll, &o->error);
  if (!o->program)
    return;
  if (!model && !strcmp(o->program->arch, "schematic")) {
    diag_set(&o->error, (struct place){file, 0, 0},
             "no model given, expected --model=NAME for a schematic test");
    return;
  }
  struct loaded_model *m = find_model(b, model ? model : "x86tso");
  o->model_name = m->name;
  o->model = m->model;
  if (!m->model) {
    o->error = m->error;
    o->error.place.file = o->error.file;
    return;
  }
  o->failed = !check_run(o->program, m->model, &b->options.check, a, &o->result, &o->error);
  o->seconds = cpu_seconds() - start;
}

static void print_error(struct batch *b, const struct litmus_outcome *o) {
  const struct diag *d = &o->error;
  for (int i = 0; i < b->models.length; i++)
    if (!b->models.data[i].model && b->models.data[i].name == o->model_name) {
      if (b->models.data[i].reported)
        return;
      b->models.data[i].reported = true;
    }
  if (d->place.line)
    fprintf(stderr, "%s:%d:%d: %s\n", d->file, d->place.line, d->place.column, d->message);
  else
    fprintf(stderr, "%s: %s\n", d->file, d->message);
}

static void write_picture(struct batch *b, const struct litmus_outcome *o, const char *path,
                          bool svg) {
  if (!path || !o->result.witness)
    return;
  struct str text = {0};
  if (svg)
    witness_print_svg(o->result.witness, o->program->name, &text);
  else
    witness_print_dot(o->result.witness, o->program->name, &text);
  FILE *f = strcmp(path, "-") ? fopen(path, "w") : stdout;
  if (!f || fputs(str_text(&text), f) < 0) {
    fprintf(stderr, "%s: cannot write the picture\n", path);
    b->status = EXIT_USAGE;
  }
  if (f && f != stdout)
    fclose(f);
  str_free(&text);
}

/* --cross-check: the enumerator must find exactly the same states. */
static void cross_check(struct batch *b, const struct litmus_outcome *o, struct arena *a) {
  struct enumeration e;
  struct diag d;
  if (!enumerate_run(o->program, o->model, 20 * 1000 * 1000, a, &e, &d)) {
    fprintf(stderr, "%s: cannot be cross-checked: %s\n", o->file, d.message);
    b->status = EXIT_USAGE;
    return;
  }
  const struct final_state *missing = NULL;
  const struct check_result *r = &o->result;
  if (!e.complete) {
    printf("Cross-check %s incomplete after %ld candidates\n", o->program->name, e.candidates);
  } else if (states_equal(o->program, r->states.data, r->states.length, e.states.data,
                          e.states.length, &missing)) {
    printf("Cross-check %s same %d states, %ld executions of %ld candidates\n", o->program->name,
           e.states.length, e.executions, e.candidates);
  } else {
    struct str text = {0};
    litmus_state_text(o->program, missing->values, &text);
    printf("Difference: Cross-check %s: only one side has %s\n", o->program->name, str_text(&text));
    str_free(&text);
    b->status = b->status ? b->status : EXIT_DIFFERENT;
  }
}

static void run_test(struct batch *b, const char *file) {
  struct arena a = {0};
  struct litmus_outcome o;
  check_one(b, file, b->options.model, &a, &o);
  bool text = !b->options.json || strcmp(b->options.json, "-");
  if (o.failed) {
    print_error(b, &o);
    b->status = EXIT_USAGE;
  } else {
    if (text)
      litmus_print_text(&o, &b->options, stdout);
    if (b->options.cross_check)
      cross_check(b, &o, &a);
    write_picture(b, &o, b->options.dot, false);
    write_picture(b, &o, b->options.svg, true);
    if (b->expected && !expectation_met(b->expected, &o) && b->status == 0)
      b->status = EXIT_DIFFERENT;
  }
  if (b->json)
    json_array_append_new(b->json, litmus_json(&o, &b->options));
  arena_release(&a);
}

/* ---- --compare ---------------------------------------------------------------------------- */

static void compare_models(struct batch *b) {
  const char *m1 = b->tests.data[0], *m2 = b->tests.data[1];
  int differ = 0, total = 0;
  for (int i = 2; i < b->tests.length; i++) {
    struct arena a = {0};
    struct litmus_outcome o1, o2;
    check_one(b, b->tests.data[i], m1, &a, &o1);
    check_one(b, b->tests.data[i], m2, &a, &o2);
    const struct litmus_outcome *bad = o1.failed ? &o1 : o2.failed ? &o2 : NULL;
    if (bad) {
      print_error(b, bad);
      b->status = EXIT_USAGE;
    } else {
      total++;
      if (o1.result.allowed != o2.result.allowed) {
        differ++;
        printf("%s %s %s %s %s\n", o1.program->name, o1.model_name,
               o1.result.allowed ? "Allowed" : "Forbidden", o2.model_name,
               o2.result.allowed ? "Allowed" : "Forbidden");
      }
    }
    if (b->json) {
      json_array_append_new(b->json, litmus_json(&o1, &b->options));
      json_array_append_new(b->json, litmus_json(&o2, &b->options));
    }
    arena_release(&a);
  }
  printf("Compared %s and %s on %d tests: %d differ\n", m1, m2, total, differ);
}

/* ---- options ------------------------------------------------------------------------------ */

static void usage(FILE *out) {
  fputs("usage: tidemark litmus [OPTION...] TEST...\n"
        "Checks litmus tests (.litmus, .test, or @FILE with a list) against a memory model.\n",
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

static bool set_option(struct batch *b, const char *name, const char *value) {
  struct litmus_options *o = &b->options;
  static const struct {
    const char *name;
    size_t offset;
  } texts[] = {{"model", offsetof(struct litmus_options, model)},
               {"json", offsetof(struct litmus_options, json)},
               {"expect", offsetof(struct litmus_options, expect)},
               {"dot", offsetof(struct litmus_options, dot)},
               {"svg", offsetof(struct litmus_options, svg)}};
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
  if (!strcmp(name, "unroll")) {
    char *end;
    long n = strtol(value, &end, 10);
    o->unroll = (int)n;
    return *value && !*end && n >= 0 && n <= 64;
  }
  o->states |= !strcmp(name, "states");
  o->check.distinct_actions |= !strcmp(name, "distinct-actions");
  o->compare |= !strcmp(name, "compare");
  o->quiet |= !strcmp(name, "quiet");
  o->time |= !strcmp(name, "time");
  o->cross_check |= !strcmp(name, "cross-check");
  return true;
}

static int read_option(struct batch *b, const char *argument) {
  const char *equals = strchr(argument, '=');
  size_t length = equals ? (size_t)(equals - argument) : strlen(argument);
  bool has_argument;
  const char *name = known_option(argument + 2, length - 2, &has_argument);
  if (!name) {
    fprintf(stderr, "tidemark litmus: unknown option '%.*s'\n", (int)length, argument);
    return EXIT_USAGE;
  }
  if (has_argument != (equals != NULL)) {
    fprintf(stderr, "tidemark litmus: --%s %s\n", name,
            has_argument ? "needs a value: --option=VALUE" : "takes no value");
    return EXIT_USAGE;
  }
  if (!set_option(b, name, equals ? equals + 1 : "")) {
    fprintf(stderr, "tidemark litmus: bad value in '%s'\n", argument);
    return EXIT_USAGE;
  }
  return 0;
}

/* @FILE: one test per line, relative to the list; '#' starts a comment. */
static bool read_list(struct batch *b, const char *path) {
  FILE *f = fopen(path, "r");
  if (!f) {
    fprintf(stderr, "%s: cannot open the list of tests\n", path);
    return false;
  }
  const char *slash = strrchr(path, '/');
  int folder = slash ? (int)(slash - path) + 1 : 0;
  char line[4096];
  while (fgets(line, sizeof line, f)) {
    line[strcspn(line, "#\r\n")] = 0;
    size_t n = strlen(line);
    while (n && line[n - 1] == ' ')
      line[--n] = 0;
    if (n)
      list_push(&b->arena, &b->tests,
                line[0] == '/' ? arena_text(&b->arena, line, n)
                               : arena_format(&b->arena, "%.*s%s", folder, path, line));
  }
  fclose(f);
  return true;
}

static int read_arguments(struct batch *b, int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "--help")) {
      usage(stdout);
      exit(0);
    }
    int status = 0;
    if (!strncmp(argv[i], "--", 2))
      status = read_option(b, argv[i]);
    else if (argv[i][0] == '@')
      status = read_list(b, argv[i] + 1) ? 0 : EXIT_USAGE;
    else
      list_push(&b->arena, &b->tests, argv[i]);
    if (status)
      return status;
  }
  if (b->tests.length < (b->options.compare ? 3 : 1)) {
    fprintf(stderr, b->options.compare ? "tidemark litmus: --compare needs two models and tests\n"
                                       : "tidemark litmus: no tests given, see --help\n");
    return EXIT_USAGE;
  }
  return 0;
}

static int finish(struct batch *b) {
  if (b->json &&
      json_dump_file(b->json, strcmp(b->options.json, "-") ? b->options.json : "/dev/stdout",
                     JSON_INDENT(1) | JSON_PRESERVE_ORDER)) {
    fprintf(stderr, "%s: cannot write the JSON\n", b->options.json);
    b->status = EXIT_USAGE;
  }
  json_decref(b->json);
  if (b->expected && !expectation_finish(b->expected) && b->status == 0)
    b->status = EXIT_DIFFERENT;
  for (int i = 0; i < b->models.length; i++)
    model_destroy(b->models.data[i].model);
  int status = b->status;
  arena_release(&b->arena);
  return status;
}

int cmd_litmus(int argc, char **argv) {
  struct batch b = {.options = {.unroll = 2, .check = {.core = CORE_MINIMAL}}};
  b.status = read_arguments(&b, argc, argv);
  if (b.status) {
    arena_release(&b.arena);
    return b.status;
  }
  b.directory = models_directory(&b.arena);
  if (b.options.json)
    b.json = json_array();
  if (b.options.expect && !(b.expected = expectation_load(b.options.expect, &b.arena))) {
    fprintf(stderr, "%s: cannot open the expectations\n", b.options.expect);
    b.status = EXIT_USAGE;
    return finish(&b);
  }
  if (b.options.compare)
    compare_models(&b);
  else
    for (int i = 0; i < b.tests.length; i++)
      run_test(&b, b.tests.data[i]);
  return finish(&b);
}
