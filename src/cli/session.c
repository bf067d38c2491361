#include "cli/session.h"
#include "cli/agent.h"
#include "cli/asserts.h"
#include "cli/call_stacks.h"
#include "cli/container.h"
#include "cli/fix.h"
#include "cli/output_file.h"
#include "cli/progress.h"
#include "cli/remote.h"
#include "cli/saved.h"
#include "cli/supervisor.h"
#include "cli/units.h"
#include "report/conclusion.h"
#include "report/html.h"
#include "report/json.h"
#include "report/junit.h"
#include "report/report.h"
#include "report/sarif.h"
#include "report/silence.h"
#include "report/text.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define GRACE_SECONDS 2.0
#define CALL_STACKS_SECONDS 600.0
#define CALL_STACKS_HURRY 5.0
#define SHARDS_MAX 10000
#define LOST \
  "not all of what was searched could be saved (above): make room, then --resume searches the " \
  "rest again"

int session_fail(enum exit_status status, const struct str *error) {
  fprintf(stderr, "tidemark: %s%s\n", status == EXIT_STATUS_INTERNAL ? "internal error: " : "",
          str_text(error));
  return status;
}

/* ---- output files ---- */

static const struct {
  enum option_id option;
  void (*format)(const struct report *, struct str *);
} formats[] = {
    {OPTION_JSON, report_json},
    {OPTION_SARIF, report_sarif},
    {OPTION_HTML, report_html},
    {OPTION_JUNIT, report_junit},
    {OPTION_WRITE_SUPPRESSIONS, report_suppressions},
    {OPTION_FIX, report_fix},
};

enum { FORMATS = sizeof formats / sizeof *formats };

static void abandon_outputs(struct output_file *files) {
  for (int i = 0; i < FORMATS; i++)
    output_file_abandon(&files[i]);
}

static bool open_outputs(struct output_file *files, const struct options *o, struct str *error) {
  int to_stdout = 0;
  for (int i = 0; i < FORMATS; i++) {
    const char *path = options_text(o, formats[i].option, NULL);
    if (!output_file_open(&files[i], path, error)) {
      abandon_outputs(files);
      return false;
    }
    to_stdout += path && strcmp(path, "-") == 0;
  }
  if (to_stdout <= 1)
    return true;
  str_append(error, "only one report can go to the standard output");
  abandon_outputs(files);
  return false;
}

/* Every report is written, also after one that could not be; false if one could not. */
static bool write_outputs(struct output_file *files, const struct report *r) {
  bool all = true;
  for (int i = 0; i < FORMATS; i++) {
    struct str text = {0}, error = {0};
    if (!files[i].path)
      continue;
    formats[i].format(r, &text);
    if (!output_file_write(&files[i], &text, &error)) {
      session_fail(EXIT_STATUS_USAGE, &error);
      all = false;
    }
    str_free(&text);
    str_free(&error);
  }
  return all;
}

/* ---- text ---- */

static bool terminal_can_more(void) {
  const char *term = getenv("TERM");
  return isatty(STDERR_FILENO) && term && *term && strcmp(term, "dumb") != 0;
}

static bool wants_color(const struct options *o) {
  const char *choice = options_text(o, OPTION_COLOR, "auto");
  if (strcmp(choice, "auto") != 0)
    return strcmp(choice, "always") == 0;
  const char *no_color = getenv("NO_COLOR");
  return terminal_can_more() && !(no_color && *no_color);
}

static void print_text(const struct report *r, const struct options *o) {
  struct text_style style = TEXT_STYLE_DEFAULT;
  style.color = wants_color(o);
  if (isatty(STDERR_FILENO))
    style.width = progress_terminal_width();
  struct str text = {0};
  report_text(r, &style, &text);
  fwrite(text.data, 1, text.length, stderr);
  str_free(&text);
}

/* ---- the program's standard input ---- */

/* Where it came from, for a replay: a file by its name, if nothing of it was read before. */
static void record_input(struct run *r, const struct results *results) {
  struct stat here, named;
  char path[4096];
  r->input_bytes = results->input_bytes;
  r->input_hash = results->input_hash;
  if (!r->input_hash || run_option(r, "stdin") || fstat(STDIN_FILENO, &here) != 0 ||
      !S_ISREG(here.st_mode) || lseek(STDIN_FILENO, 0, SEEK_CUR) != 0)
    return;
  ssize_t n = readlink("/proc/self/fd/0", path, sizeof path - 1);
  path[n < 0 ? 0 : n] = 0;
  if (stat(path, &named) == 0 && named.st_ino == here.st_ino && named.st_dev == here.st_dev)
    run_add_option(r, "stdin", path);
}

/* ---- the whole ---- */

static double now_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static bool is_saved(const struct options *o) {
  return options_given(o, OPTION_SAVE) || options_given(o, OPTION_RESUME);
}

static bool parse_shard(const char *text, int *which, int *count) {
  char *end;
  long i = strtol(text, &end, 10), n = *end == '/' ? strtol(end + 1, &end, 10) : 0;
  *which = (int)i;
  *count = (int)n;
  return *end == 0 && i >= 1 && i <= n && n <= SHARDS_MAX;
}

/* A search in parts: by several workers, saved, or a shard. */
struct division {
  struct parts parts;
  struct saved saved;
  const char *scatter; /* for tests: see finding/job.h */
};

/* What was searched before counts. */
static void limit_executions(struct check_job *job, const struct options *o,
                             const struct parts *parts) {
  uint64_t done = 0;
  for (size_t i = 0; i < parts->list.length; i++)
    done += parts->list.data[i].results.executions;
  int64_t left = options_number(o, OPTION_MAX_EXECUTIONS, 0) - (int64_t)done;
  struct str text = {0};
  str_format(&text, "%lld", (long long)(left < 1 ? 1 : left));
  check_job_set(job, "max-executions", str_text(&text));
  str_free(&text);
}

static bool open_saved(struct division *d, struct check_job *job, const struct options *o, int jobs,
                       struct str *error) {
  const char *save = options_text(o, OPTION_SAVE, NULL);
  const char *resume = options_text(o, OPTION_RESUME, NULL);
  const char *shard = options_text(o, OPTION_SHARD, "");
  int which, count;
  if (save && resume)
    str_append(error, "--save begins a search and --resume goes on with one: give one of them");
  else if (*shard && !parse_shard(shard, &which, &count))
    str_format(error, "--shard=%s: must be I/N, 1 <= I <= N <= %d", shard, SHARDS_MAX);
  else if (resume)
    saved_resume(&d->saved, resume, job, shard, jobs, &d->parts, error);
  else
    saved_create(&d->saved, save, job, shard, jobs, error);
  if (!error->length && options_given(o, OPTION_MAX_EXECUTIONS))
    limit_executions(job, o, &d->parts);
  return error->length == 0;
}

/* Fills in the supervisor if the search is in parts.  False: it should be, and cannot. */
static bool divide(struct division *d, struct check_job *job, const struct options *o,
                   struct supervisor *s, struct str *error) {
  int64_t jobs = options_number(o, OPTION_JOBS, machine_cores());
  struct str why = {0};
  bool can = check_job_divides(o, &why);
  if (!can && is_saved(o))
    str_append(error, str_text(&why));
  str_free(&why);
  if (options_given(o, OPTION_MAX_EXECUTIONS))
    jobs = 1;
  if (options_given(o, OPTION_SHARD) && !is_saved(o))
    str_append(error, "--shard needs --save=DIR: 'tidemark merge' finds there what was searched");
  bool scatter = d->scatter && *d->scatter;
  if (remote && !options_given(o, OPTION_JOBS))
    jobs = 1; /* there is one for each core already */
  bool in_units = check_job_has_units(o);
  bool alone = jobs == 1 && !in_units && !is_saved(o) && !scatter && !remote;
  if (error->length || !can || (alone && !check_job_puts_off(o)))
    return error->length == 0;
  if (in_units)
    units_init(&d->parts);
  else
    parts_init(&d->parts, "", NULL);
  if (is_saved(o) && !open_saved(d, job, o, (int)jobs, error))
    return false;
  if (in_units && !d->parts.units) { /* nothing had been saved */
    parts_free(&d->parts);
    units_init(&d->parts);
  }
  parse_shard(options_text(o, OPTION_SHARD, ""), &s->shard, &s->shards);
  if (in_units && s->shards && !d->parts.sharded)
    units_shard(&d->parts, s->shard, s->shards);
  if (scatter)
    check_job_set(job, "scatter", d->scatter);
  s->parts = &d->parts;
  s->jobs = (int)jobs;
  s->agents = remote ? remote->count : 0;
  s->first = options_flag(o, OPTION_FIRST);
  s->scatter = scatter;
  s->save = is_saved(o) ? saved_part : NULL;
  s->save_pieces = is_saved(o) ? saved_pieces : NULL;
  s->save_unit = is_saved(o) ? saved_unit : NULL;
  s->saved = &d->saved;
  return true;
}

/* ---- signals while the report is made ---- */

static volatile sig_atomic_t hurry;

static void note_hurry(int signal) {
  (void)signal;
  hurry = 1;
}

static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
#define ENDS (sizeof ends / sizeof *ends)

/* The first one, unless it is ignored, does not end the program, which has results to tell. */
static void expect_hurry(struct sigaction old[ENDS]) {
  const struct sigaction note = {.sa_handler = note_hurry, .sa_flags = (int)SA_RESETHAND};
  for (size_t i = 0; i < ENDS; i++)
    if (sigaction(ends[i], NULL, &old[i]) == 0 && old[i].sa_handler == SIG_DFL)
      sigaction(ends[i], &note, NULL);
}

static void end_hurry(const struct sigaction old[ENDS]) {
  for (size_t i = 0; i < ENDS; i++)
    sigaction(ends[i], &old[i], NULL);
}

/* Findings that are known, as the options name them. */
struct known {
  struct suppressions suppressions;
  struct baseline baseline;
};

static bool read_known(struct known *k, const struct options *o, struct str *error) {
  const char *suppressions = options_text(o, OPTION_SUPPRESSIONS, NULL);
  const char *baseline = options_text(o, OPTION_BASELINE, NULL);
  return (!suppressions || suppressions_read(&k->suppressions, suppressions, error)) &&
         (!baseline || baseline_read(&k->baseline, baseline, error));
}

static void free_known(struct known *k) {
  suppressions_free(&k->suppressions);
  baseline_free(&k->baseline);
}

static struct suppressions *suppressions_of(struct known *k) {
  return k->suppressions.path ? &k->suppressions : NULL;
}

static struct baseline *baseline_of(struct known *k) {
  return k->baseline.path ? &k->baseline : NULL;
}

/* Who is in a hurry gets his report soon, perhaps without all of them. */
static void add_call_stacks(const struct check_job *job, const struct options *o,
                            struct known *known, struct results *results) {
  size_t count = results->findings.length;
  bool *silenced = mem_alloc(count + 1);
  struct str worker = {0}, error = {0};
  double seconds = options_given(o, OPTION_TIMEOUT)
                       ? CALL_STACKS_HURRY + options_seconds(o, OPTION_TIMEOUT) / 10
                       : CALL_STACKS_SECONDS;
  silence_foresee(&job->run, results, suppressions_of(known), baseline_of(known), silenced);
  if (supervisor_find_worker(&worker, &error))
    call_stacks_add(str_text(&worker), job, seconds, &hurry, silenced, results);
  mem_free(silenced, count + 1);
  str_free(&worker);
  str_free(&error);
}

/* *lost: what was searched should have been saved, and is not. */
static int search(struct check_job *job, const struct options *o, bool replay,
                  struct results *results, bool *lost, struct str *error) {
  struct str worker = {0};
  if (!supervisor_find_worker(&worker, error))
    return EXIT_STATUS_PROGRAM;
  bool quiet = options_flag(o, OPTION_QUIET) || options_flag(o, OPTION_PROGRAM_OUTPUT) || replay;
  struct division division = {.scatter = getenv("TIDEMARK_SCATTER")};
  struct supervisor s = {.worker = str_text(&worker),
                         .settings = &job->settings,
                         .words = &job->words,
                         .timeout_seconds = options_seconds(o, OPTION_TIMEOUT),
                         .grace_seconds = GRACE_SECONDS,
                         .progress = !quiet && terminal_can_more(),
                         .fences = !replay && check_job_wants_fences(o)};
  if (!replay && !divide(&division, job, o, &s, error))
    return EXIT_STATUS_USAGE;
  enum supervisor_end end = supervisor_run(&s, results, error);
  bool complete = end == SUPERVISOR_RESULTS && results->complete;
  if (s.save && !saved_close(&division.saved, end != SUPERVISOR_RESULTS ? str_text(error)
                                              : complete                ? NULL
                                                                        : results->incomplete_why))
    *lost = !complete;
  str_free(&worker);
  return end == SUPERVISOR_RESULTS   ? EXIT_STATUS_CLEAN
         : end == SUPERVISOR_REFUSED ? EXIT_STATUS_PROGRAM
                                     : EXIT_STATUS_INTERNAL;
}

static void note_asserts(struct report *r) {
  struct str text = {0};
  if (!r->replay && !r->results->error && r->run->program)
    asserts_note(r->run->program, &text);
  if (text.length)
    vec_push(&r->notes, mem_strdup(str_text(&text)));
  str_free(&text);
}

/* The report, in every form that was asked for, and the exit status. */
static int conclude(struct report *r, struct known *known, const struct options *o,
                    struct output_file *files) {
  struct results *x = r->results;
  report_prepare(r);
  report_silence(r, suppressions_of(known), baseline_of(known));
  note_asserts(r);
  report_conclude(r);
  int status = report_exit_status(r);
  if (x->error) {
    struct str text = {0};
    str_append(&text, x->error);
    report_error_stack(r, &text);
    session_fail((enum exit_status)status, &text);
    str_free(&text);
  } else if (!options_flag(o, OPTION_QUIET)) {
    print_text(r, o);
  }
  bool written = write_outputs(files, r);
  report_free(r);
  return written || x->error ? status : EXIT_STATUS_USAGE;
}

static void set_error(struct results *x, const struct str *error) {
  x->complete = false;
  if (!x->error)
    x->error = mem_strdup(str_text(error));
}

static struct report report_of(const struct check_job *job, const struct options *o,
                               struct results *results) {
  const char *json = options_text(o, OPTION_JSON, NULL);
  return (struct report){.version = TIDEMARK_VERSION,
                         .run = &job->run,
                         .results = results,
                         .allow_empty = options_flag(o, OPTION_ALLOW_EMPTY),
                         .flush_function = options_text(o, OPTION_FLUSH_FUNCTION, NULL),
                         .verify_fix = options_flag(o, OPTION_VERIFY_FIX),
                         .json_path = json && strcmp(json, "-") != 0 ? json : NULL};
}

int session_refuse(const struct check_job *job, const struct options *o, const struct str *error) {
  struct output_file files[FORMATS];
  struct results results = {0};
  struct str why = {0};
  if (!open_outputs(files, o, &why))
    return session_fail(EXIT_STATUS_USAGE, &why);
  set_error(&results, error);
  struct report report = report_of(job, o, &results);
  struct known none = {0};
  int status = conclude(&report, &none, o, files);
  results_free(&results);
  return status;
}

/* What needs the program once more. */
static void complete_parts(const struct check_job *job, const struct options *o,
                           struct known *known, struct results *results) {
  struct str worker = {0}, error = {0};
  if (supervisor_find_worker(&worker, &error)) {
    struct supervisor s = {.worker = str_text(&worker),
                           .settings = &job->settings,
                           .words = &job->words,
                           .grace_seconds = GRACE_SECONDS,
                           .fences = check_job_wants_fences(o)};
    supervisor_add_fences(&s, results);
    add_call_stacks(job, o, known, results);
  }
  str_free(&worker);
  str_free(&error);
}

int session_report(struct check_job *job, const struct options *o, bool same_program,
                   struct results *results) {
  struct output_file files[FORMATS];
  struct str error = {0};
  struct known known = {0};
  if (!read_known(&known, o, &error) || !open_outputs(files, o, &error)) {
    free_known(&known);
    return session_fail(EXIT_STATUS_USAGE, &error);
  }
  if (same_program)
    complete_parts(job, o, &known, results);
  struct report report = report_of(job, o, results);
  report.wall_seconds = results->cpu_seconds;
  int status = conclude(&report, &known, o, files);
  free_known(&known);
  return status;
}

/* On behalf of a supervisor elsewhere. */
static int serve(struct check_job *job) {
  struct str worker = {0}, error = {0};
  if (!supervisor_find_worker(&worker, &error))
    return session_fail(EXIT_STATUS_PROGRAM, &error);
  struct supervisor s = {
      .worker = str_text(&worker), .settings = &job->settings, .words = &job->words, .jobs = 1};
  agent_run(&s);
  str_free(&worker);
  return EXIT_STATUS_CLEAN;
}

int session_run(struct check_job *job, const struct options *o, bool replay,
                struct results *results) {
  if (remote && remote->rank)
    return serve(job);
  struct output_file files[FORMATS];
  struct str error = {0};
  double start = now_seconds();
  struct known known = {0};
  if (!read_known(&known, o, &error) || !open_outputs(files, o, &error)) {
    free_known(&known);
    return session_fail(EXIT_STATUS_USAGE, &error);
  }
  bool lost = false;
  int status = search(job, o, replay, results, &lost, &error);
  if (status == EXIT_STATUS_USAGE) {
    abandon_outputs(files);
    free_known(&known);
    return session_fail(EXIT_STATUS_USAGE, &error);
  }
  if (status != EXIT_STATUS_CLEAN)
    set_error(results, &error);
  else
    record_input(&job->run, results);
  struct sigaction old[ENDS];
  expect_hurry(old);
  if (status == EXIT_STATUS_CLEAN && !replay)
    add_call_stacks(job, o, &known, results);
  struct report report = report_of(job, o, results);
  report.replay = replay;
  report.internal_error = status == EXIT_STATUS_INTERNAL;
  report.wall_seconds = now_seconds() - start;
  str_free(&error);
  status = conclude(&report, &known, o, files);
  end_hurry(old);
  free_known(&known);
  if (lost && status != EXIT_STATUS_INTERNAL) {
    str_append(&error, LOST);
    status = session_fail(EXIT_STATUS_USAGE, &error);
    str_free(&error);
  }
  return status;
}
