#include "cli/cmd_litmus.h"
#include "axiom/enumerate.h"
#include "axiom/litmus.h"
#include "base/check.h"
#include "cli/cmd_litmus_batch.h"
#include "cli/cmd_litmus_c.h"
#include "cli/cmd_litmus_expect.h"
#include "cli/cmd_litmus_report.h"
#include <errno.h>
#include <limits.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { EXIT_DIFFERENT = 1, EXIT_USAGE = 2, EXIT_UNDECIDED = 5 };

struct loaded_model {
  const char *argument, *name;
  struct model *model;
  struct diag error;
};

struct batch {
  struct litmus_options options;
  struct arena arena; /* for the whole run */
  char *directory;    /* of the models we ship */
  LIST(struct loaded_model) models;
  struct test_list tests;
  struct expectation *expected;
  FILE *json;
  bool json_seeks;
  int json_count;
  LIST(const char *) model_errors; /* printed; once is enough */
  int compared, differ;
  int status;
  int unwritten; /* errno of the standard output, or 0 */
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
  struct model_paths paths = {.shipped = b->directory, .extra = b->options.include};
  const char *path = model_path(b, argument);
  if (path == argument || !access(path, F_OK))
    m.model = model_load_from(path, paths, &m.error);
  else
    diag_set(
        &m.error, (struct place){argument, 0, 0},
        "no such model: there are sc, x86tso, px86, rc11, aarch64, riscv, lkmm and others in %s; "
        "a file of your own ends in .cat",
        b->directory);
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
  o->program = test_load(strcmp(file, "-") ? file : "/dev/stdin", a, b->options.unroll, &o->error);
  if (!o->program)
    return;
  if (!model && !o->program->default_model) {
    diag_set(&o->error, (struct place){file, 0, 0},
             "no model given, expected --model=NAME for a %s test", o->program->arch);
    return;
  }
  struct loaded_model *m = find_model(b, model ? model : o->program->default_model);
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

static void print_error(const struct diag *d, FILE *err) {
  if (d->place.line)
    fprintf(err, "%s:%d:%d: %s\n", d->file, d->place.line, d->place.column, d->message);
  else
    fprintf(err, "%s: %s\n", d->file, d->message);
}

/* The exit status that says most about a run: what could not be read or went wrong, then what
 * differs, then what is open. */
static int worse(int a, int b) {
  static const int order[] = {0, EXIT_UNDECIDED, EXIT_DIFFERENT, EXIT_USAGE, EXIT_INTERNAL};
  for (int i = (int)(sizeof order / sizeof *order) - 1; i > 0; i--)
    if (a == order[i] || b == order[i])
      return order[i];
  return 0;
}

/* --cross-check: the enumerator must find exactly the same states. */
static int cross_check(const struct litmus_outcome *o, struct arena *a, FILE *out, FILE *err) {
  struct enumeration e;
  struct diag d;
  if (!enumerate_run(o->program, o->model, 20 * 1000 * 1000, a, &e, &d)) {
    fprintf(err, "%s: cannot be cross-checked: %s\n", o->file, d.message);
    return EXIT_USAGE;
  }
  const struct final_state *missing = NULL;
  const struct check_result *r = &o->result;
  if (!e.complete) {
    fprintf(out, "Cross-check %s incomplete after %ld candidates\n", o->program->name,
            e.candidates);
    return EXIT_UNDECIDED;
  }
  /* what the enumerator has found alone comes first */
  if (states_equal(o->program, e.states.data, e.states.length, r->states.data, r->states.length,
                   &missing)) {
    fprintf(out, "Cross-check %s same %d states, %ld executions of %ld candidates\n",
            o->program->name, e.states.length, e.executions, e.candidates);
    return 0;
  }
  bool found =
      e.states.length && missing >= e.states.data && missing < e.states.data + e.states.length;
  if (e.circular && !found) {
    fprintf(out, "Cross-check %s has no opinion: values may come out of thin air\n",
            o->program->name);
    return EXIT_UNDECIDED;
  }
  struct str text = {0};
  litmus_state_text(o->program, missing->values, &text);
  fprintf(out, "Difference: Cross-check %s: only one side has %s\n", o->program->name,
          str_text(&text));
  str_free(&text);
  return EXIT_DIFFERENT;
}

/* ---- what one test gives ------------------------------------------------------------------ */

static void set_part(struct litmus_report *r, enum report_part p, char *text) {
  r->part[p].data = text;
  r->part[p].length = text ? strlen(text) : 0;
}

static char *copy_text(const char *text) {
  char *copy = strdup(text);
  if (!copy)
    check_exhausted();
  return copy;
}

/* An object, after those that are there already. */
static void add_json(struct litmus_report *r, json_t *object) {
  char *text = json_dumps(object, JSON_INDENT(1) | JSON_PRESERVE_ORDER), *both = NULL;
  CHECK(text, "a test's result cannot be written as JSON");
  json_decref(object);
  if (!r->part[PART_JSON].data) {
    set_part(r, PART_JSON, text);
    return;
  }
  if (asprintf(&both, "%s,\n%s", r->part[PART_JSON].data, text) < 0)
    check_exhausted();
  free(r->part[PART_JSON].data);
  free(text);
  set_part(r, PART_JSON, both);
}

/* The witness, or what the model forbids. */
static void draw(const struct litmus_outcome *o, const struct litmus_options *options,
                 struct litmus_report *r) {
  const struct refutation *refutation =
      o->result.refutations.length ? &o->result.refutations.data[0] : NULL;
  const struct witness *w = refutation ? refutation->witness : o->result.witness;
  const struct violations *broken = refutation ? &refutation->broken : NULL;
  if (!w)
    return;
  struct str text = {0};
  if (options->dot) {
    witness_print_dot(w, o->program->name, broken, &text);
    set_part(r, PART_DOT, copy_text(str_text(&text)));
    str_clear(&text);
  }
  if (options->svg) {
    witness_print_svg(w, o->program->name, broken, &text);
    set_part(r, PART_SVG, copy_text(str_text(&text)));
  }
  str_free(&text);
}

/* A C program under a model; false after an error was printed. */
static bool check_c_program(struct batch *b, const char *file, const char *model, struct arena *a,
                            struct c_outcome *o, struct litmus_report *r, FILE *err) {
  struct loaded_model *m = find_model(b, model);
  struct c_job *job = arena_alloc(a, sizeof *job);
  *job = (struct c_job){&b->options, file, m->name, m->model};
  struct diag d = m->error;
  const char *tests_only = b->options.expect ? "expect" : b->options.herd ? "format" : NULL;
  bool ok = m->model && !tests_only && litmus_c_check(job, a, o, err, &d);
  if (tests_only)
    diag_set(&d, (struct place){file, 0, 0}, "--%s is for litmus tests, not for C programs",
             tests_only);
  if (!ok) {
    print_error(&d, err);
    r->status = EXIT_USAGE;
    r->model_error = !m->model;
  }
  struct litmus_outcome failed = {.file = file, .failed = true, .error = d};
  if (b->options.json)
    add_json(r, ok ? litmus_c_json(o) : litmus_json(&failed, &b->options));
  return ok;
}

static void run_c_program(struct batch *b, const char *file, struct litmus_report *r, FILE *out,
                          FILE *err) {
  struct arena a = {0};
  struct c_outcome o;
  const char *model = b->options.model ? b->options.model : "rc11";
  if (check_c_program(b, file, model, &a, &o, r, err)) {
    if (!b->options.json || strcmp(b->options.json, "-"))
      litmus_c_print(&o, out);
    r->status = litmus_c_status(&o);
    struct litmus_outcome picture = {.program = o.program->program};
    picture.result.witness = o.result.witness;
    draw(&picture, &b->options, r);
  }
  arena_release(&a);
}

static void compare_c_program(struct batch *b, const char *file, struct litmus_report *r, FILE *out,
                              FILE *err) {
  struct arena a = {0};
  struct c_outcome o[2];
  r->compared = true;
  for (int i = 0; i < 2 && r->compared; i++)
    r->compared = check_c_program(b, file, b->options.compare_with[i], &a, &o[i], r, err);
  r->differs = r->compared && o[0].result.verdict != o[1].result.verdict;
  if (r->differs)
    fprintf(out, "%s %s %s %s %s\n", file, o[0].job->model_name,
            c_verdict_word(o[0].result.verdict), o[1].job->model_name,
            c_verdict_word(o[1].result.verdict));
  arena_release(&a);
}

static void run_test(struct batch *b, const char *file, struct litmus_report *r, FILE *out,
                     FILE *err) {
  if (litmus_is_c(file)) {
    run_c_program(b, file, r, out, err);
    return;
  }
  struct arena a = {0};
  struct litmus_outcome o;
  check_one(b, file, b->options.model, &a, &o);
  bool text = !b->options.json || strcmp(b->options.json, "-");
  if (o.failed) {
    print_error(&o.error, err);
    r->status = EXIT_USAGE;
    r->model_error = o.model_name && !o.model;
  } else {
    if (text)
      litmus_print_text(&o, &b->options, out);
    if (o.result.vacuous)
      r->status = EXIT_UNDECIDED;
    if (b->options.cross_check)
      r->status = worse(r->status, cross_check(&o, &a, out, err));
    draw(&o, &b->options, r);
  }
  if (b->options.json || (b->options.expect && !o.failed))
    add_json(r, litmus_json(&o, &b->options));
  arena_release(&a);
}

static void compare_models(struct batch *b, const char *file, struct litmus_report *r, FILE *out,
                           FILE *err) {
  if (litmus_is_c(file)) {
    compare_c_program(b, file, r, out, err);
    return;
  }
  struct arena a = {0};
  struct litmus_outcome o[2];
  for (int i = 0; i < 2; i++) {
    check_one(b, file, b->options.compare_with[i], &a, &o[i]);
    if (o[i].failed && !r->status) {
      print_error(&o[i].error, err);
      r->status = EXIT_USAGE;
      r->model_error = o[i].model_name && !o[i].model;
    }
    if (b->options.json)
      add_json(r, litmus_json(&o[i], &b->options));
  }
  if (!r->status) {
    r->compared = true;
    r->differs = o[0].result.allowed != o[1].result.allowed;
    if (r->differs)
      fprintf(out, "%s %s %s %s %s\n", o[0].program->name, o[0].model_name,
              o[0].result.allowed ? "Allowed" : "Forbidden", o[1].model_name,
              o[1].result.allowed ? "Allowed" : "Forbidden");
  }
  arena_release(&a);
}

static void work(void *context, int test, struct litmus_report *r) {
  struct batch *b = context;
  FILE *out = open_memstream(&r->part[PART_OUT].data, &r->part[PART_OUT].length);
  FILE *err = open_memstream(&r->part[PART_ERR].data, &r->part[PART_ERR].length);
  if (!out || !err)
    check_exhausted();
  (b->options.compare ? compare_models : run_test)(b, b->tests.paths.data[test], r, out, err);
  bool cut = ferror(out) || ferror(err);
  cut |= fclose(out) != 0;
  if (fclose(err) != 0 || cut)
    check_exhausted();
}

static void give_up(void *context, int test, enum litmus_giving_up reason, const char *why,
                    struct litmus_report *r) {
  struct batch *b = context;
  struct litmus_outcome o = {.file = b->tests.paths.data[test], .failed = true};
  diag_set(&o.error, (struct place){o.file, 0, 0}, "%s", why);
  char *text = NULL;
  if (asprintf(&text, "%s: %s\n", o.file, why) < 0)
    check_exhausted();
  set_part(r, PART_ERR, text);
  r->status = reason == GIVEN_UP_DIED ? EXIT_INTERNAL : EXIT_UNDECIDED;
  if (b->options.json) {
    json_t *object = litmus_json(&o, &b->options);
    json_object_set_new(object, "timeout", json_boolean(reason == GIVEN_UP_TOO_LONG));
    add_json(r, object);
  }
}

/* ---- and where it goes -------------------------------------------------------------------- */

/* The file is complete JSON after every test: the closing bracket is overwritten by the next. */
static void write_json(struct batch *b, const char *object) {
  static const char close[] = "\n]\n";
  fputs(b->json_count++ ? ",\n" : "[\n", b->json);
  fputs(object, b->json);
  if (b->json_seeks) {
    fputs(close, b->json);
    fflush(b->json);
    fseek(b->json, -(long)strlen(close), SEEK_CUR);
  }
}

static void write_picture(struct batch *b, const char *path, const char *text) {
  if (!path || !text)
    return;
  FILE *f = strcmp(path, "-") ? fopen(path, "w") : stdout;
  if (!f || fputs(text, f) < 0 || fflush(f)) {
    fprintf(stderr, "%s: cannot write the picture: %s\n", path, strerror(errno));
    b->status = worse(b->status, EXIT_USAGE);
  }
  if (f && f != stdout)
    fclose(f);
}

static bool said_before(struct batch *b, const char *text) {
  for (int i = 0; i < b->model_errors.length; i++)
    if (!strcmp(b->model_errors.data[i], text))
      return true;
  list_push(&b->arena, &b->model_errors, arena_text(&b->arena, text, strlen(text)));
  return false;
}

static void compare_with_expected(struct batch *b, const char *text) {
  json_t *object = json_loads(text, 0, NULL);
  CHECK(object, "a test's result is no JSON");
  if (!expectation_met(b->expected, object))
    b->status = worse(b->status, EXIT_DIFFERENT);
  json_decref(object);
}

static void deliver(void *context, int test, struct litmus_report *r) {
  (void)test;
  struct batch *b = context;
  if (r->part[PART_OUT].length && fputs(r->part[PART_OUT].data, stdout) < 0)
    b->unwritten = errno;
  if (r->part[PART_ERR].length && !(r->model_error && said_before(b, r->part[PART_ERR].data)))
    fputs(r->part[PART_ERR].data, stderr);
  b->status = worse(b->status, r->status);
  b->compared += r->compared;
  b->differ += r->differs;
  if (b->expected && r->part[PART_JSON].data && r->status != EXIT_USAGE &&
      r->status != EXIT_INTERNAL)
    compare_with_expected(b, r->part[PART_JSON].data);
  if (b->json && r->part[PART_JSON].data)
    write_json(b, r->part[PART_JSON].data);
  write_picture(b, b->options.dot, r->part[PART_DOT].data);
  write_picture(b, b->options.svg, r->part[PART_SVG].data);
  if (fflush(stdout))
    b->unwritten = errno;
}

/* ---- the whole run ------------------------------------------------------------------------- */

static bool open_outputs(struct batch *b) {
  const struct litmus_options *o = &b->options;
  if (o->expect &&
      !(b->expected = expectation_load(o->expect, o->check.count_executions, &b->arena))) {
    fprintf(stderr, "%s: cannot open the expectations: %s\n", o->expect, strerror(errno));
    return false;
  }
  if (o->json) {
    b->json = strcmp(o->json, "-") ? fopen(o->json, "w") : stdout;
    if (!b->json)
      fprintf(stderr, "%s: cannot write the JSON: %s\n", o->json, strerror(errno));
    else
      b->json_seeks = b->json != stdout && !fseek(b->json, 0, SEEK_CUR);
  }
  return !o->json || b->json;
}

static void close_outputs(struct batch *b) {
  if (b->json) {
    fputs(b->json_count ? "\n]\n" : "[]\n", b->json);
    if (fflush(b->json) || ferror(b->json)) {
      fprintf(stderr, "%s: cannot write the JSON: %s\n", b->options.json, strerror(errno));
      b->status = worse(b->status, EXIT_USAGE);
    }
    if (b->json != stdout)
      fclose(b->json);
  }
  if (b->expected && !expectation_finish(b->expected))
    b->status = worse(b->status, EXIT_DIFFERENT);
  if (b->options.compare)
    printf("Compared %s and %s on %d tests: %d differ\n", b->options.compare_with[0],
           b->options.compare_with[1], b->compared, b->differ);
  if (fflush(stdout) || (ferror(stdout) && !b->unwritten))
    b->unwritten = errno;
  if (b->unwritten && b->json != stdout) {
    fprintf(stderr, "tidemark litmus: cannot write the standard output: %s\n",
            strerror(b->unwritten));
    b->status = worse(b->status, EXIT_USAGE);
  }
}

static bool has_c_programs(const struct batch *b) {
  for (int i = 0; i < b->tests.paths.length; i++)
    if (litmus_is_c(b->tests.paths.data[i]))
      return true;
  return false;
}

int cmd_litmus(int argc, char **argv) {
  mallopt(M_TRIM_THRESHOLD, 256 << 20); /* each test needs again what the last one has freed */
  mallopt(M_TOP_PAD, 4 << 20);
  struct batch b = {.options = {.unroll = 2, .jobs = 1, .check = {.core = CORE_MINIMAL}}};
  b.tests.arena = &b.arena;
  b.status = litmus_read_arguments(&b.options, &b.tests, argc, argv) ? 0 : EXIT_USAGE;
  const struct litmus_options *o = &b.options;
  if (o->quiet && !o->json && !o->dot && !o->svg)
    b.options.check.core = CORE_NONE; /* nobody would see it */
  if (!b.status && !open_outputs(&b))
    b.status = EXIT_USAGE;
  if (!b.status) {
    b.directory = models_directory(&b.arena);
    struct litmus_batch all = {.context = &b,
                               .tests = b.tests.paths.length,
                               .jobs = b.options.jobs,
                               .timeout_seconds = b.options.timeout_seconds,
                               .apart = has_c_programs(&b),
                               .work = work,
                               .deliver = deliver,
                               .give_up = give_up};
    if (!litmus_batch_run(&all)) {
      fprintf(stderr, "tidemark litmus: interrupted, not all of the %d tests were done\n",
              all.tests);
      b.status = worse(b.status, EXIT_UNDECIDED);
    }
    close_outputs(&b);
  }
  for (int i = 0; i < b.models.length; i++)
    model_destroy(b.models.data[i].model);
  int status = b.status;
  arena_release(&b.arena);
  return status;
}
