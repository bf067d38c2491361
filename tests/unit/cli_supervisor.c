/* The supervisor against workers that misbehave.  This program is its own worker: started with
 * settings, it plays the part that the setting "act" names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/supervisor.h"
#include "finding/job.h"
#include "finding/results_file.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* ---- the worker ---- */

static const char *setting(char **words, const char *key, const char *otherwise) {
  size_t n = strlen(key);
  for (; *words && strcmp(*words, "--") != 0; words++)
    if (strncmp(*words, key, n) == 0 && (*words)[n] == '=')
      return *words + n + 1;
  return otherwise;
}

static void leave_results(char **words, const struct results *r, size_t cut) {
  struct str text = {0};
  results_write(r, &text);
  ssize_t ignored = write(atoi(setting(words, "results-fd", "-1")), text.data, text.length - cut);
  (void)ignored;
}

static _Noreturn void die_in_program(struct job_status *s, const char *token, int signal) {
  s->running_program = true;
  strcpy(s->token, token);
  if (signal == 0)
    _exit(9);
  raise(signal);
  _exit(1);
}

static int act(char **words) {
  const char *part = setting(words, "act", ""), *skip = setting(words, "skip", "");
  struct job_status *s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED,
                              atoi(setting(words, "status-fd", "-1")), 0);
  struct results r = {.complete = true, .executions = 7, .program_runs = 3};
  char c;
  if (strcmp(part, "clean") == 0 && read(STDIN_FILENO, &c, 1) == 0)
    leave_results(words, &r, 0);
  if (strcmp(part, "error") == 0) {
    r.error = "./prog: not built with tidemark-cc";
    leave_results(words, &r, 0);
    return 3;
  }
  if (strcmp(part, "cut") == 0)
    leave_results(words, &r, 5);
  if (strcmp(part, "crash") == 0)
    raise(SIGKILL);
  if (strcmp(part, "bug") == 0) {
    s->running_program = true; /* a failed CHECK is ours wherever it happens */
    return 4;
  }
  if (strcmp(part, "two-deaths") == 0) {
    if (!strstr(skip, "f1.r0"))
      die_in_program(s, "f1.r0", SIGKILL);
    if (!strstr(skip, "f2"))
      die_in_program(s, "f2", 0);
    struct finding known = {.kind = FINDING_FATAL_SIGNAL, .token = "f2", .fix = "not known here"};
    vec_push(&r.findings, known);
    leave_results(words, &r, 0);
  }
  if (strcmp(part, "first-death") == 0)
    die_in_program(s, "", SIGKILL);
  if (strcmp(part, "same-death") == 0)
    die_in_program(s, "f1", SIGKILL);
  if (strcmp(part, "all-deaths") == 0) {
    char token[16];
    snprintf(token, sizeof token, "f%zu", strlen(skip));
    die_in_program(s, token, SIGKILL);
  }
  if (strcmp(part, "obedient") == 0) {
    while (!s->stop_requested)
      usleep(1000);
    r.complete = false;
    r.incomplete_why = "stopped on request";
    leave_results(words, &r, 0);
  }
  if (strncmp(part, "deaf", 4) == 0) {
    s->executions = 42;
    s->failure_points = strcmp(part, "deaf-at-last") == 0 ? 2 : 5;
    s->failure_points_begun = 2;
    for (;;)
      pause();
  }
  return 0;
}

/* ---- the tests ---- */

static enum supervisor_end run(const char *part, double timeout, struct results *r,
                               struct str *error) {
  char act_setting[64];
  word_list settings = {0}, words = {0};
  snprintf(act_setting, sizeof act_setting, "act=%s", part);
  words_push(&settings, act_setting);
  words_push(&words, "./prog");
  struct supervisor s = {.worker = "/proc/self/exe",
                         .settings = &settings,
                         .words = &words,
                         .timeout_seconds = timeout,
                         .grace_seconds = 0.2};
  enum supervisor_end end = supervisor_run(&s, r, error);
  words_free(&settings);
  words_free(&words);
  return end;
}

static void clean(void **state) {
  (void)state;
  struct results r = {0};
  struct str error = {0};
  assert_int_equal(run("clean", 0, &r, &error), SUPERVISOR_RESULTS);
  assert_true(r.complete);
  assert_int_equal(r.executions, 7);
  assert_int_equal(r.findings.length, 0);
  results_free(&r);
}

static void refused(void **state) {
  (void)state;
  struct results r = {0};
  struct str error = {0};
  assert_int_equal(run("error", 0, &r, &error), SUPERVISOR_REFUSED);
  assert_string_equal(str_text(&error), "./prog: not built with tidemark-cc");
  results_free(&r);
  str_free(&error);
}

static void assert_failed(const char *part, const char *why) {
  struct results r = {0};
  struct str error = {0};
  assert_int_equal(run(part, 0, &r, &error), SUPERVISOR_FAILED);
  assert_string_equal(str_text(&error), why);
  results_free(&r);
  str_free(&error);
}

static void failures_of_the_worker(void **state) {
  (void)state;
  assert_failed("crash", "the worker ended unexpectedly (signal 9, Killed), it left no results");
  assert_failed("bug", "the worker ended unexpectedly (exit status 4), it left no results, in "
                       "execution -");
  assert_failed("silent", "the worker ended unexpectedly (exit status 0), it left no results");
  assert_failed("cut", "the worker ended unexpectedly (exit status 0), its results cannot be read: "
                       "line 10 is damaged or the end is missing");
}

static void missing_worker(void **state) {
  (void)state;
  word_list none = {0};
  struct results r = {0};
  struct str error = {0};
  struct supervisor s = {.worker = "/nonexistent/worker", .settings = &none, .words = &none};
  assert_int_equal(supervisor_run(&s, &r, &error), SUPERVISOR_FAILED);
  assert_string_equal(str_text(&error),
                      "cannot start /nonexistent/worker: No such file or directory");
  str_free(&error);
}

static void deaths_become_findings(void **state) {
  (void)state;
  struct results r = {0};
  struct str error = {0};
  assert_int_equal(run("two-deaths", 0, &r, &error), SUPERVISOR_RESULTS);
  assert_true(r.complete);
  assert_int_equal(r.executions, 8); /* 7, and f1.r0, of which the last worker says nothing */
  assert_int_equal(r.findings.length, 2);
  assert_int_equal(r.findings.data[0].kind, FINDING_FATAL_SIGNAL);
  assert_string_equal(r.findings.data[0].token, "f2");
  assert_string_equal(r.findings.data[0].fix, "not known here");
  assert_string_equal(r.findings.data[0].message,
                      "this execution killed the checking process (exit status 9)");
  assert_int_equal(r.findings.data[1].kind, FINDING_FATAL_SIGNAL);
  assert_string_equal(r.findings.data[1].token, "f1.r0");
  assert_string_equal(r.findings.data[1].message,
                      "this execution killed the checking process (signal 9, Killed)");
  results_free(&r);
}

static void assert_gives_up(const char *part, size_t findings, const char *why) {
  struct results r = {0};
  struct str error = {0};
  assert_int_equal(run(part, 0, &r, &error), SUPERVISOR_RESULTS);
  assert_false(r.complete);
  assert_string_equal(r.incomplete_why, why);
  assert_int_equal(r.findings.length, findings);
  results_free(&r);
}

static void deaths_without_end(void **state) {
  (void)state;
  assert_gives_up("first-death", 1,
                  "the first execution killed the checking process; nothing after it was checked");
  assert_gives_up("same-death", 1, "an execution killed the checking process twice");
  assert_gives_up("all-deaths", 51, "too many executions killed the checking process");
}

static void timeout_with_partial_results(void **state) {
  (void)state;
  struct results r = {0};
  struct str error = {0};
  assert_int_equal(run("obedient", 0.05, &r, &error), SUPERVISOR_RESULTS);
  assert_false(r.complete);
  assert_string_equal(r.incomplete_why, "the timeout was reached");
  assert_int_equal(r.executions, 7);
  results_free(&r);
}

static void timeout_without_results(void **state) {
  (void)state;
  struct results r = {0};
  struct str error = {0};
  assert_int_equal(run("deaf", 0.05, &r, &error), SUPERVISOR_RESULTS);
  assert_false(r.complete);
  assert_int_equal(r.executions, 42);
  assert_int_equal(r.failure_points, 5);
  results_free(&r);
}

/* A signal to this process, a moment from now. */
static void interrupt_soon(int signal) {
  pid_t self = getpid();
  if (fork() == 0) {
    usleep(100000);
    kill(self, signal);
    _exit(0);
  }
}

static void interrupts(void **state) {
  (void)state;
  static const struct {
    int signal;
    const char *part, *why;
  } cases[] = {{SIGINT, "obedient", "interrupted (SIGINT)"},
               {SIGTERM, "obedient", "terminated (SIGTERM)"},
               {SIGINT, "deaf",
                "interrupted (SIGINT) (stopped at failure point 2 of 5 of the first execution)"},
               {SIGINT, "deaf-at-last", "interrupted (SIGINT)"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct results r = {0};
    struct str error = {0};
    interrupt_soon(cases[i].signal);
    assert_int_equal(run(cases[i].part, 0, &r, &error), SUPERVISOR_RESULTS);
    assert_false(r.complete);
    assert_string_equal(r.incomplete_why, cases[i].why);
    results_free(&r);
  }
}

int main(int argc, char **argv) {
  if (argc > 1 && strncmp(argv[1], "results-fd=", 11) == 0)
    return act(argv + 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(clean),
      cmocka_unit_test(refused),
      cmocka_unit_test(failures_of_the_worker),
      cmocka_unit_test(missing_worker),
      cmocka_unit_test(deaths_become_findings),
      cmocka_unit_test(deaths_without_end),
      cmocka_unit_test(timeout_with_partial_results),
      cmocka_unit_test(timeout_without_results),
      cmocka_unit_test(interrupts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
