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

/* Which start of a worker in this session is it?  1, 2, ... */
static int starts(char **words) {
  int fd = atoi(setting(words, "input-fd", "-1"));
  return lseek(fd, 0, SEEK_END) >= 0 && write(fd, "x", 1) == 1 ? (int)lseek(fd, 0, SEEK_END) : 0;
}

/* Somebody else kills it while it runs the program; the execution by itself is harmless. */
static void be_killed(struct job_status *s, char **words, int times) {
  char token[16];
  int start = starts(words);
  snprintf(token, sizeof token, "f%d", start);
  if (strcmp(setting(words, "replay", "0"), "0") == 0 && start < 2 * times)
    die_in_program(s, token, SIGKILL);
}

/* NOLINTNEXTLINE(readability-function-size): one case for each behaviour */
static int act(char **words) {
  const char *part = setting(words, "act", ""), *skip = setting(words, "skip", "");
  struct job_status *s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED,
                              atoi(setting(words, "status-fd", "-1")), 0);
  struct results r = {.complete = true, .executions = 7, .program_runs = 3};
  if (strcmp(part, "clean") == 0)
    leave_results(words, &r, 0);
  if (strcmp(part, "input") == 0) {
    s->input.wanted = true;
    r.complete = pwrite(atoi(setting(words, "input-fd", "-1")), "12345", 5, 0) == 5;
    leave_results(words, &r, 0);
  }
  if (strcmp(part, "terminal") == 0) {
    s->input.wanted = s->input.terminal = true;
    leave_results(words, &r, 0);
  }
  if (strcmp(part, "error") == 0) {
    r.error = "./prog: not built with tidemark-cc";
    leave_results(words, &r, 0);
    return 3;
  }
  if (strcmp(part, "cut") == 0)
    leave_results(words, &r, 5);
  if (strcmp(part, "crash") == 0)
    raise(SIGSEGV);
  if (strcmp(part, "killed") == 0)
    raise(SIGKILL);
  if (strcmp(part, "killed-at-start") == 0 && starts(words) > 1)
    leave_results(words, &r, 0);
  else if (strcmp(part, "killed-at-start") == 0)
    raise(SIGUSR1); /* what asks a search to end is not for workers */
  if (strcmp(part, "killed-once") == 0 || strcmp(part, "killed-often") == 0) {
    be_killed(s, words, part[8] == 'n' ? 1 : 100);
    leave_results(words, &r, 0);
  }
  if (strcmp(part, "dies-elsewhere") == 0) {
    int start = starts(words);
    if (start <= 2)
      die_in_program(s, start == 1 ? "f1" : "", SIGKILL);
    leave_results(words, &r, 0);
  }
  if (strcmp(part, "limit") == 0) {
    strcpy(s->refusal, "the limit on everything is too small");
    return 3;
  }
  if (strcmp(part, "child-died") == 0 && !*skip) {
    s->running_program = true;
    s->child_status = SIGKILL;
    strcpy(s->token, "f3");
    return JOB_EXIT_CHILD_DIED;
  } else if (strcmp(part, "child-died") == 0) {
    leave_results(words, &r, 0);
  }
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

static void input(void **state) {
  (void)state;
  struct results r = {0}, empty = {0}, none = {0};
  struct str error = {0};
  assert_int_equal(run("input", 0, &r, &error), SUPERVISOR_RESULTS);
  assert_true(r.complete);
  assert_int_equal(r.input_bytes, 5);
  assert_int_not_equal(r.input_hash, 0);
  assert_int_equal(r.notes.length, 0);
  assert_int_equal(run("terminal", 0, &empty, &error), SUPERVISOR_RESULTS);
  assert_int_equal(empty.input_bytes, 0);
  assert_int_equal(empty.notes.length, 1);
  assert_non_null(strstr(empty.notes.data[0], "it is a terminal"));
  assert_int_equal(run("clean", 0, &none, &error), SUPERVISOR_RESULTS);
  assert_int_equal(none.input_hash, 0);
  results_free(&r);
  results_free(&empty);
  results_free(&none);
}

static void refused(void **state) {
  (void)state;
  struct results r = {0};
  struct str error = {0};
  assert_int_equal(run("error", 0, &r, &error), SUPERVISOR_REFUSED);
  assert_string_equal(str_text(&error), "./prog: not built with tidemark-cc");
  str_clear(&error);
  assert_int_equal(run("limit", 0, &r, &error), SUPERVISOR_REFUSED);
  assert_string_equal(str_text(&error), "the limit on everything is too small");
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
  assert_failed("crash",
                "the worker ended unexpectedly (signal 11, Segmentation fault), it left no "
                "results");
  assert_failed("bug", "the worker ended unexpectedly (exit status 4), it left no results, in "
                       "execution -");
  assert_failed("silent", "the worker ended unexpectedly (exit status 0), it left no results");
  assert_failed("cut", "the worker ended unexpectedly (exit status 0), its results cannot be read: "
                       "line 14 is damaged or the end is missing");
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
                      "this execution killed the checking process (exit status 9), twice");
  assert_int_equal(r.findings.data[1].kind, FINDING_FATAL_SIGNAL);
  assert_string_equal(r.findings.data[1].token, "f1.r0");
  assert_string_equal(r.findings.data[1].message,
                      "this execution killed the checking process (signal 9, Killed), twice");
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
  assert_gives_up("same-death", 1,
                  "an execution killed the checking process although it was left out");
  assert_gives_up("all-deaths", 51, "too many executions killed the checking process");
}

/* What does not happen again is no finding. */
static void killed_from_outside(void **state) {
  (void)state;
  static const char *const parts[] = {"killed-once", "killed-at-start", "dies-elsewhere"};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    struct results r = {0};
    struct str error = {0};
    assert_int_equal(run(parts[i], 0, &r, &error), SUPERVISOR_RESULTS);
    assert_true(r.complete);
    assert_int_equal(r.executions, 7);
    assert_int_equal(r.findings.length, 0);
    assert_int_equal(r.notes.length, 1);
    assert_string_equal(
        r.notes.data[0],
        i == 1
            ? "the checking process was killed from outside (signal 10, "
              "User defined signal 1); the search was started again from its beginning, and this "
              "is its result"
            : "the checking process was killed from outside (signal 9, Killed; "
              "out of memory?); the search was started again from its beginning, and this is its "
              "result");
    results_free(&r);
  }
  static const char why[] =
      "the checking process was killed from outside 3 times (signal 9, Killed; out of memory?)";
  assert_gives_up("killed", 0, why);
  assert_gives_up("killed-often", 0, why);
}

static void death_of_an_isolated_process(void **state) {
  (void)state;
  struct results r = {0};
  struct str error = {0};
  assert_int_equal(run("child-died", 0, &r, &error), SUPERVISOR_RESULTS);
  assert_int_equal(r.findings.length, 1);
  assert_string_equal(r.findings.data[0].token, "f3");
  assert_string_equal(r.findings.data[0].message,
                      "this execution killed the checking process (signal 9, Killed), twice");
  results_free(&r);
}

/* Inherited from whoever started us. */
static void ignored_children(void **state) {
  signal(SIGCHLD, SIG_IGN);
  clean(state);
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
               {SIGHUP, "obedient", "the terminal was closed (SIGHUP)"},
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
  signal(SIGHUP, SIG_DFL); /* under nohup it is ignored, and the supervisor leaves that as it is */
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(clean),
      cmocka_unit_test(input),
      cmocka_unit_test(refused),
      cmocka_unit_test(failures_of_the_worker),
      cmocka_unit_test(missing_worker),
      cmocka_unit_test(deaths_become_findings),
      cmocka_unit_test(deaths_without_end),
      cmocka_unit_test(killed_from_outside),
      cmocka_unit_test(death_of_an_isolated_process),
      cmocka_unit_test(ignored_children),
      cmocka_unit_test(timeout_with_partial_results),
      cmocka_unit_test(timeout_without_results),
      cmocka_unit_test(interrupts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
