#include "cli/session.h"
#include "cli/output_file.h"
#include "cli/supervisor.h"
#include "report/html.h"
#include "report/json.h"
#include "report/junit.h"
#include "report/report.h"
#include "report/sarif.h"
#include "report/text.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define GRACE_SECONDS 2.0

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

static bool write_outputs(struct output_file *files, const struct report *r, struct str *error) {
  for (int i = 0; i < FORMATS; i++) {
    if (!files[i].path)
      continue;
    struct str text = {0};
    formats[i].format(r, &text);
    bool ok = output_file_write(&files[i], &text, error);
    str_free(&text);
    if (!ok)
      return false;
  }
  return true;
}

/* ---- text ---- */

static bool wants_color(const struct options *o) {
  const char *choice = options_text(o, OPTION_COLOR, "auto");
  if (strcmp(choice, "auto") != 0)
    return strcmp(choice, "always") == 0;
  const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
  return isatty(STDERR_FILENO) && !(no_color && *no_color) && !(term && strcmp(term, "dumb") == 0);
}

static void print_text(const struct report *r, const struct options *o) {
  struct text_style style = TEXT_STYLE_DEFAULT;
  style.color = wants_color(o);
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

static int search(const struct check_job *job, const struct options *o, bool replay,
                  struct results *results, struct str *error) {
  struct str worker = {0};
  if (!supervisor_find_worker(&worker, error))
    return EXIT_STATUS_PROGRAM;
  bool quiet = options_flag(o, OPTION_QUIET) || options_flag(o, OPTION_PROGRAM_OUTPUT) || replay;
  struct supervisor s = {.worker = str_text(&worker),
                         .settings = &job->settings,
                         .words = &job->words,
                         .timeout_seconds = options_seconds(o, OPTION_TIMEOUT),
                         .grace_seconds = GRACE_SECONDS,
                         .progress = !quiet && isatty(STDERR_FILENO)};
  enum supervisor_end end = supervisor_run(&s, results, error);
  str_free(&worker);
  return end == SUPERVISOR_RESULTS   ? EXIT_STATUS_CLEAN
         : end == SUPERVISOR_REFUSED ? EXIT_STATUS_PROGRAM
                                     : EXIT_STATUS_INTERNAL;
}

int session_run(struct check_job *job, const struct options *o, bool replay,
                struct results *results) {
  struct output_file files[FORMATS];
  struct str error = {0};
  double start = now_seconds();
  if (!open_outputs(files, o, &error))
    return session_fail(EXIT_STATUS_USAGE, &error);
  int status = search(job, o, replay, results, &error);
  if (status != EXIT_STATUS_CLEAN) {
    abandon_outputs(files);
    report_error_stack(&(struct report){.run = &job->run, .results = results}, &error);
    return session_fail((enum exit_status)status, &error);
  }
  record_input(&job->run, results);
  const char *json = options_text(o, OPTION_JSON, NULL);
  struct report report = {.version = TIDEMARK_VERSION,
                          .run = &job->run,
                          .results = results,
                          .replay = replay,
                          .wall_seconds = now_seconds() - start,
                          .json_path = json && strcmp(json, "-") != 0 ? json : NULL};
  report_prepare(&report);
  if (!options_flag(o, OPTION_QUIET))
    print_text(&report, o);
  if (!write_outputs(files, &report, &error)) {
    abandon_outputs(files);
    return session_fail(EXIT_STATUS_USAGE, &error);
  }
  return report_exit_status(results);
}
