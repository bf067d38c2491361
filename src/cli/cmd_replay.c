#include "cli/cmd_replay.h"
#include "cli/help.h"
#include "cli/session.h"
#include "cli/supervisor.h"
#include "explore/choice.h"
#include "finding/job.h"
#include "report/file_text.h"
#include "report/replay_file.h"
#include "report/report.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What is to be replayed, from either source. */
struct replay {
  struct options options;
  struct replay_file file;
  struct str text;
  word_list program; /* command line; empty: --machine has it */
};

/* The run of a report becomes options and a command line, as if they had been typed. */
static bool take_run(struct replay *r, const char *path, struct str *error) {
  const struct run *run = &r->file.run;
  for (size_t i = 0; i < run->options.length; i++) {
    struct str why = {0};
    const struct run_option *o = &run->options.data[i];
    if (strcmp(o->name, "stdin") == 0 && options_given(&r->options, OPTION_STDIN))
      continue; /* given anew */
    bool ok = options_set(&r->options, USE_SEARCH, o->name, o->value, &why);
    if (!ok)
      str_format(error, "%s: %s", path, str_text(&why));
    str_free(&why);
    if (!ok)
      return false;
  }
  if (run->directory && chdir(run->directory) != 0)
    fprintf(stderr, "tidemark: warning: cannot go to %s, where the check was made: %s\n",
            run->directory, strerror(errno));
  if (!r->options.machines.length) {
    words_push(&r->program, run->program);
    for (size_t i = 0; i < run->arguments.length; i++)
      words_push(&r->program, run->arguments.data[i]);
  }
  return true;
}

static bool take_file(struct replay *r, const char *path, struct str *error) {
  struct str why = {0};
  size_t number = (size_t)options_number(&r->options, OPTION_FINDING, 1);
  if (!file_text_read(path, &r->text, error))
    return false;
  if (!replay_file_read(str_text(&r->text), r->text.length, number, &r->file, &why)) {
    str_format(error, "%s: %s", path, str_text(&why));
    str_free(&why);
    return false;
  }
  return take_run(r, path, error);
}

/* --token: the search options and the program are on the command line. */
static bool take_token(struct replay *r, struct str *error) {
  const char *token = options_text(&r->options, OPTION_TOKEN, "");
  struct choices choices = {0};
  bool none = strcmp(token, "-") == 0; /* the execution without choices */
  bool good = none || choice_parse(&choices, token);
  vec_free(&choices.forced);
  if (!good) {
    str_append(error, "--token: this is not a replay token");
    return false;
  }
  r->file.token = mem_strdup(token);
  for (int i = 0; i < r->options.word_count; i++)
    words_push(&r->program, r->options.words[i]);
  return true;
}

/* Options may also follow the file: tidemark replay report.json --gdb. */
static bool parse(struct replay *r, int argc, char **argv, struct str *error) {
  unsigned uses = USE_REPLAY | USE_SEARCH;
  struct options *o = &r->options;
  if (!options_set_defaults(o, USE_REPLAY, getenv("TIDEMARK_OPTIONS"), error) ||
      !options_parse(o, uses, argc, argv, error))
    return false;
  if (o->help)
    return true;
  if (options_given(o, OPTION_TOKEN))
    return take_token(r, error);
  if (!o->word_count) {
    str_append(error, "which report? usage: tidemark replay report.json");
    return false;
  }
  const char *path = o->words[0];
  if (!options_parse(o, USE_REPLAY, o->word_count, o->words, error) || o->help)
    return o->help;
  if (o->word_count) {
    str_format(error, "unexpected '%s' after %s", o->words[0], path);
    return false;
  }
  return take_file(r, path, error);
}

static void warn_if_changed(const struct replay *r, const struct check_job *job) {
  if (r->file.run.program_hash && r->file.run.program_hash != job->run.program_hash)
    fprintf(stderr, "tidemark: warning: %s has changed since the report was written\n",
            job->run.program);
}

static bool token_fits(const struct replay *r, struct str *error) {
  size_t n = strlen(r->file.token);
  if (n > JOB_ARGUMENT_MAX)
    str_format(error, "the replay token has %zu characters, at most %d can be replayed", n,
               JOB_ARGUMENT_MAX);
  return n <= JOB_ARGUMENT_MAX;
}

/* What the check read from a pipe is not in its report. */
static bool has_input(const struct replay *r, struct str *error) {
  bool gdb = options_flag(&r->options, OPTION_GDB);
  if (!r->file.run.input_bytes || options_given(&r->options, OPTION_STDIN) ||
      (!gdb && !isatty(STDIN_FILENO)))
    return true;
  str_format(error,
             "the check read %lu bytes from a pipe: give the same ones again, with --stdin=FILE%s",
             (unsigned long)r->file.run.input_bytes, gdb ? "" : " or from a pipe");
  return false;
}

static void explain_input(const struct replay *r, const struct results *results) {
  if (r->file.run.input_hash && results->input_hash &&
      r->file.run.input_hash != results->input_hash)
    fprintf(stderr,
            "replay: the standard input is not that of the check (%lu bytes then, %lu now): give "
            "the same one with --stdin=FILE\n",
            (unsigned long)r->file.run.input_bytes, (unsigned long)results->input_bytes);
}

/* The same bug: by fingerprint if the report had one. */
static bool is_expected(const struct replay *r, const struct finding *f) {
  if (!r->file.fingerprint)
    return true;
  struct str fingerprint = {0};
  finding_fingerprint(f, &fingerprint);
  bool same = strcmp(str_text(&fingerprint), r->file.fingerprint) == 0;
  str_free(&fingerprint);
  return same;
}

static int judge(const struct replay *r, const struct results *results) {
  for (size_t i = 0; i < results->findings.length; i++) {
    if (is_expected(r, &results->findings.data[i])) {
      fprintf(stderr, "replay: reproduced\n");
      return EXIT_STATUS_FINDINGS;
    }
  }
  explain_input(r, results);
  if (results->findings.length)
    fprintf(stderr, "replay: not reproduced: this execution shows a different finding%s%s%s\n",
            r->file.message ? " (expected: " : "", r->file.message ? r->file.message : "",
            r->file.message ? ")" : "");
  else
    fprintf(stderr, "replay: not reproduced: this execution ends without a finding%s\n",
            options_given(&r->options, OPTION_TOKEN)
                ? " (a token needs the same program, arguments and options as in the check)"
                : "");
  return EXIT_STATUS_INCOMPLETE;
}

static int debug(const struct check_job *job) {
  struct str worker = {0}, error = {0};
  if (!supervisor_find_worker(&worker, &error))
    return session_fail(EXIT_STATUS_INTERNAL, &error);
  struct supervisor s = {
      .worker = str_text(&worker), .settings = &job->settings, .words = &job->words};
  supervisor_debug(&s, &error);
  return session_fail(EXIT_STATUS_USAGE, &error);
}

static int run(struct replay *r, struct check_job *job) {
  check_job_set(job, "replay", "1");
  check_job_set(job, "token", strcmp(r->file.token, "-") == 0 ? "" : r->file.token);
  check_job_set(job, "output", "1");
  check_job_set(job, "stacks", "1");
  warn_if_changed(r, job);
  if (options_flag(&r->options, OPTION_GDB)) {
    check_job_set(job, "debug", "1");
    if (!options_given(&r->options, OPTION_STDIN))
      check_job_set(job, "stdin", "/dev/null"); /* the standard input is gdb's */
    return debug(job);
  }
  struct results results = {0};
  int status = session_run(job, &r->options, true, &results);
  if (status == EXIT_STATUS_CLEAN || status == EXIT_STATUS_FINDINGS ||
      status == EXIT_STATUS_INCOMPLETE)
    status = judge(r, &results);
  results_free(&results);
  return status;
}

int cmd_replay(int argc, char **argv) {
  struct replay r = {0};
  struct check_job job = {0};
  struct str error = {0};
  if (!parse(&r, argc, argv, &error))
    return session_fail(EXIT_STATUS_USAGE, &error);
  if (r.options.help)
    return help_show("replay");
  if (!token_fits(&r, &error) || !has_input(&r, &error))
    return session_fail(EXIT_STATUS_USAGE, &error);
  enum check_job_error why =
      check_job_build(&job, &r.options, r.program.data, (int)r.program.length, &error);
  if (why == CHECK_JOB_PROGRAM)
    return session_refuse(&job, &r.options, &error);
  if (why != CHECK_JOB_OK)
    return session_fail((enum exit_status)why, &error);
  int status = run(&r, &job);
  check_job_free(&job);
  replay_file_free(&r.file);
  words_free(&r.program);
  str_free(&r.text);
  return status;
}
