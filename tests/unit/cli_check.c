/* tidemark check and tidemark replay as a user sees them: what they print and their exit status.
 * This program is its own worker: it hands over the results file named by FAKE_RESULTS. */
#include "cli/cmd_check.h"
#include "cli/cmd_replay.h"
#include "file_text.h"
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/tidemark-test-XXXXXX", root[4096];

static void write_file(const char *path, const char *bytes, size_t n) {
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  fwrite(bytes, 1, n, f);
  fclose(f);
}

/* ---- the worker: leaves its settings behind and copies the results ---- */

static int act(int argc, char **argv) {
  int fd = -1, ranges = 0;
  FILE *log = fopen(getenv("FAKE_LOG"), "w");
  for (int i = 1; i < argc; i++) {
    sscanf(argv[i], "results-fd=%d", &fd);
    sscanf(argv[i], "ranges=%d", &ranges);
    if (log)
      fprintf(log, "%s\n", argv[i]);
  }
  if (log)
    fclose(log);
  FILE *f = fopen(getenv("FAKE_RESULTS"), "r");
  if (!f)
    return 4;
  char block[1 << 16];
  if (ranges && read(fd, block, sizeof block) <= 0)
    return 4;
  size_t n = fread(block, 1, sizeof block, f);
  if (ranges && dprintf(fd, "done - %zu\n", n) < 0) /* a search in parts: this is all of it */
    return 4;
  return write(fd, block, n) == (ssize_t)n ? 0 : 4;
}

/* ---- running a command ---- */

struct ran {
  int status;
  struct str out, err;
};

static struct ran run(int (*command)(int, char **), char **words) {
  struct ran r = {0};
  int argc = 0;
  while (words[argc])
    argc++;
  fflush(stdout);
  fflush(stderr);
  pid_t child = fork();
  if (child == 0) {
    dup2(open("out", O_WRONLY | O_CREAT | O_TRUNC, 0600), STDOUT_FILENO);
    dup2(open("err", O_WRONLY | O_CREAT | O_TRUNC, 0600), STDERR_FILENO);
    exit(command(argc, words));
  }
  waitpid(child, &r.status, 0);
  assert_true(WIFEXITED(r.status));
  r.status = WEXITSTATUS(r.status);
  read_file("out", &r.out);
  read_file("err", &r.err);
  return r;
}

#define CHECK_WORDS(...) run(cmd_check, (char *[]){"check", __VA_ARGS__, NULL})
#define REPLAY_WORDS(...) run(cmd_replay, (char *[]){"replay", __VA_ARGS__, NULL})

static void assert_ran(struct ran r, int status, const char *err) {
  assert_string_equal(str_text(&r.err), err);
  assert_int_equal(r.status, status);
  str_free(&r.out);
  str_free(&r.err);
}

static void assert_says(struct ran r, int status, const char *part) {
  if (!strstr(str_text(&r.err), part))
    fail_msg("missing: %s\nin: %s", part, str_text(&r.err));
  assert_int_equal(r.status, status);
  str_free(&r.out);
  str_free(&r.err);
}

static void use_results(const char *name) {
  char path[8192];
  snprintf(path, sizeof path, "%s/tests/reports/%s.results", root, name);
  setenv("FAKE_RESULTS", path, 1);
  unlink("log");
}

static bool worker_ran(void) {
  return access("log", F_OK) == 0;
}

static int set_up(void **state) {
  (void)state;
  char self[4096], log[64];
  ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
  if (n < 0 || !getcwd(root, sizeof root) || !mkdtemp(folder) || chdir(folder) != 0)
    return -1;
  self[n] = 0;
  snprintf(log, sizeof log, "%s/log", folder);
  setenv("TIDEMARK_WORKER", self, 1);
  setenv("FAKE_LOG", log, 1);
  unsetenv("TIDEMARK_OPTIONS");
  write_file("prog", "#!", 2);
  return chmod("prog", 0755);
}

static int tear_down(void **state) {
  (void)state;
  static const char *const files[] = {"prog",    "out",    "err",   "log",   "r.json", "cut.json",
                                      "r.sarif", "r.html", "r.xml", "known", "copy"};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++)
    unlink(files[i]);
  return chdir("/") == 0 && rmdir(folder) == 0 ? 0 : -1;
}

/* ---- check ---- */

static void exit_statuses(void **state) {
  (void)state;
  use_results("clean");
  assert_says(CHECK_WORDS("./prog"), 0, "no findings; the search is complete\n");
  assert_true(worker_ran());
  use_results("two_findings");
  assert_says(CHECK_WORDS("./prog"), 1, "2 findings; the search is complete\n");
  use_results("incomplete");
  assert_says(CHECK_WORDS("./prog"), 5, "the search is incomplete: the budget of 100 executions");
  use_results("machines"); /* findings, and incomplete */
  assert_says(CHECK_WORDS("./prog"), 1, "1 finding; the search is incomplete");
  use_results("refused");
  assert_ran(CHECK_WORDS("./prog"), 3, "tidemark: ./prog: not built with tidemark-cc\n");
  use_results("none");
  assert_ran(CHECK_WORDS("./prog"), 4,
             "tidemark: internal error: the worker ended unexpectedly (exit status 4), it left no "
             "results\n");
}

static void mistakes_cost_no_search(void **state) {
  (void)state;
  use_results("clean");
  assert_ran(CHECK_WORDS("--json=no/such/x", "./prog"), 2,
             "tidemark: cannot write no/such/x: No such file or directory\n");
  assert_ran(CHECK_WORDS("--sarif=.", "./prog"), 2, "tidemark: cannot write .: Is a directory\n");
  assert_ran(CHECK_WORDS("--json=-", "--html=-", "./prog"), 2,
             "tidemark: only one report can go to the standard output\n");
  assert_ran(CHECK_WORDS("./gone"), 3, "tidemark: ./gone: no such program\n");
  assert_ran(CHECK_WORDS("--bad", "./prog"), 2,
             "tidemark: unknown option '--bad' (see 'tidemark help check')\n");
  setenv("TIDEMARK_OPTIONS", "gpf=x", 1);
  assert_ran(CHECK_WORDS("./prog"), 2,
             "tidemark: --gpf: takes no value (in TIDEMARK_OPTIONS) (see 'tidemark help check')\n");
  unsetenv("TIDEMARK_OPTIONS");
  assert_false(worker_ran());
}

static void reports_to_files(void **state) {
  (void)state;
  use_results("two_findings");
  assert_ran(CHECK_WORDS("--quiet", "--json=r.json", "--sarif=r.sarif", "--html=r.html", "./prog"),
             1, "");
  struct str text = {0};
  read_file("r.sarif", &text);
  assert_non_null(strstr(str_text(&text), "\"version\": \"2.1.0\""));
  str_clear(&text);
  read_file("r.html", &text);
  assert_memory_equal(str_text(&text), "<!doctype html>", 15);
  str_clear(&text);
  struct ran r = CHECK_WORDS("--json=-", "./prog");
  assert_memory_equal(str_text(&r.out), "{\n  \"tool\": \"tidemark\"", 22);
  str_free(&text);
}

static void assert_file_says(const char *path, const char *part) {
  struct str text = {0};
  read_file(path, &text);
  if (!strstr(str_text(&text), part))
    fail_msg("missing in %s: %s\nin: %s", path, part, str_text(&text));
  str_free(&text);
}

/* Whoever waits for a report learns from it why there was no check. */
static void reports_of_refused_programs(void **state) {
  (void)state;
  use_results("refused");
  write_file("r.json", "old", 3);
  assert_ran(
      CHECK_WORDS("--json=r.json", "--junit=r.xml", "--sarif=r.sarif", "--html=r.html", "./prog"),
      3, "tidemark: ./prog: not built with tidemark-cc\n");
  assert_file_says("r.json", "\"error\": \"./prog: not built with tidemark-cc\"");
  assert_file_says("r.json", "\"complete\": false");
  assert_file_says("r.xml", "<error type=\"not checked\" message=\"./prog: not built with");
  assert_file_says("r.sarif", "\"exitCode\": 3");
  assert_file_says("r.html", "The program could not be checked: ./prog: not built with");
  assert_ran(CHECK_WORDS("--json=r.json", "./gone", "x"), 3, "tidemark: ./gone: no such program\n");
  assert_file_says("r.json", "\"error\": \"./gone: no such program\"");
  use_results("none");
  assert_says(CHECK_WORDS("--json=r.json", "./prog"), 4, "tidemark: internal error: ");
  assert_file_says("r.json", "\"error\": \"the worker ended unexpectedly");
}

static void one_report_that_cannot_be_written(void **state) {
  (void)state;
  use_results("two_findings");
  unlink("r.html");
  unlink("r.xml");
  assert_ran(CHECK_WORDS("--quiet", "--json=/dev/full", "--html=r.html", "--junit=r.xml", "./prog"),
             2, "tidemark: cannot write /dev/full: No space left on device\n");
  assert_file_says("r.html", "2 findings");
  assert_file_says("r.xml", "failures=\"2\"");
}

static void nothing_stored(void **state) {
  (void)state;
  use_results("nothing_stored");
  assert_says(CHECK_WORDS("--json=r.json", "./prog"), 5,
              "nothing was checked: the program stored nothing to persistent memory\n");
  assert_file_says("r.json", "\"complete\": false");
  assert_says(CHECK_WORDS("--allow-empty", "--json=r.json", "./prog"), 0,
              "no findings; the search is complete\n"
              "note: the program stored nothing to persistent memory, so nothing was checked\n");
  assert_file_says("r.json", "\"complete\": true");
}

static void known_findings(void **state) {
  (void)state;
  use_results("two_findings");
  assert_ran(CHECK_WORDS("--quiet", "--json=r.json", "--write-suppressions=known", "./prog"), 1,
             "");
  assert_file_says("known", "\nassertion:list.c:19\n");
  assert_says(CHECK_WORDS("--suppressions=known", "--json=r.json", "./prog"), 0,
              "no findings; 2 findings are silenced (2 by known); the search is complete\n");
  assert_file_says("r.json", "\"silenced_by\": \"known:2\"");
  assert_says(CHECK_WORDS("--baseline=r.json", "./prog"), 0,
              "no findings; 2 findings are silenced (2 by r.json); the search is complete\n");
  use_results("machines");
  assert_says(CHECK_WORDS("--baseline=r.json", "--suppressions=known", "./prog"), 1,
              "\n1 finding; the search is incomplete");
  setenv("TIDEMARK_OPTIONS", "suppressions=known", 1);
  use_results("two_findings");
  assert_says(CHECK_WORDS("./prog"), 0, "2 findings are silenced");
  assert_says(REPLAY_WORDS("--token=f9", "./prog"), 1, "replay: reproduced\n");
  unsetenv("TIDEMARK_OPTIONS");
  use_results("clean");
  assert_ran(CHECK_WORDS("--suppressions=gone", "./prog"), 2,
             "tidemark: cannot read gone: No such file or directory\n");
  assert_ran(CHECK_WORDS("--suppressions=r.json", "./prog"), 2,
             "tidemark: r.json:1: '{' is neither kind:file:line nor kind:function\n");
  assert_says(CHECK_WORDS("--baseline=known", "./prog"), 2, "known: not a tidemark report: line 1");
  assert_false(worker_ran());
}

static void sources_newer_than_the_program(void **state) {
  (void)state;
  use_results("two_findings"); /* list.c */
  write_file("list.c", "", 0);
  const struct timespec old[2] = {{.tv_sec = 1}, {.tv_sec = 1}};
  assert_int_equal(utimensat(AT_FDCWD, "prog", old, 0), 0);
  assert_says(CHECK_WORDS("--json=r.json", "./prog"), 1,
              "\nnote: list.c is newer than prog: build it again; ");
  assert_file_says("r.json", "\"list.c is newer than prog: build it again; ");
  assert_int_equal(utimensat(AT_FDCWD, "list.c", old, 0), 0);
  assert_int_equal(utimensat(AT_FDCWD, "prog", NULL, 0), 0);
  struct ran r = CHECK_WORDS("./prog");
  assert_null(strstr(str_text(&r.err), "newer"));
  assert_null(strstr(str_text(&r.err), "not there any more"));
  unlink("list.c");
  assert_says(CHECK_WORDS("./prog"), 1, "\nnote: list.c is not there any more");
}

/* ---- replay ---- */

static bool logged(const char *line) {
  struct str text = {0}, want = {0};
  read_file("log", &text);
  str_format(&want, "\n%s\n", line);
  bool found = strstr(str_text(&text), str_text(&want)) != NULL;
  str_free(&text);
  str_free(&want);
  return found;
}

static void make_report(void) {
  use_results("two_findings");
  struct ran r = CHECK_WORDS("--json=r.json", "--failures=2", "./prog", "a", "b c");
  assert_int_equal(r.status, 1);
}

static void reproduced(void **state) {
  (void)state;
  make_report();
  assert_says(REPLAY_WORDS("r.json"), 1, "replay: reproduced\n");
  assert_true(logged("replay=1"));
  assert_true(logged("output=1"));
  assert_true(logged("failures=2"));
  assert_true(logged("token=f3.r1.r0"));
  assert_true(logged("b c"));
  assert_says(REPLAY_WORDS("r.json", "--finding=2"), 1, "replay: reproduced\n");
  assert_true(logged("token=f5.r0"));
  assert_says(REPLAY_WORDS("--token=f9", "--failures=3", "./prog", "x"), 1, "replay: reproduced\n");
  assert_true(logged("token=f9"));
  assert_true(logged("failures=3"));
  assert_true(logged("argc=2"));
}

static void not_reproduced(void **state) {
  (void)state;
  make_report();
  use_results("clean");
  assert_ran(REPLAY_WORDS("r.json"), 5,
             "replay: not reproduced: this execution ends without a finding\n");
  use_results("machines");
  assert_says(REPLAY_WORDS("r.json"), 5,
              "replay: not reproduced: this execution shows a "
              "different finding (expected: value == 10 * n->key)\n");
  use_results("refused");
  assert_ran(REPLAY_WORDS("r.json"), 3, "tidemark: ./prog: not built with tidemark-cc\n");
}

static void changed_program(void **state) {
  (void)state;
  make_report();
  write_file("prog", "#!!", 3);
  assert_says(REPLAY_WORDS("r.json"), 1, "has changed since the report was written\n");
}

static void unusable_replay_files(void **state) {
  (void)state;
  make_report();
  unlink("log");
  struct str text = {0};
  read_file("r.json", &text);
  write_file("cut.json", text.data, text.length / 2);
  assert_says(REPLAY_WORDS("cut.json"), 2, "tidemark: cut.json: the file is cut off at line ");
  assert_ran(REPLAY_WORDS("prog"), 2,
             "tidemark: prog: not a tidemark report: line 1, column 1 is not JSON\n");
  assert_ran(REPLAY_WORDS("gone.json"), 2,
             "tidemark: cannot read gone.json: No such file or directory\n");
  assert_ran(REPLAY_WORDS("."), 2, "tidemark: cannot read .: it is a directory\n");
  assert_ran(REPLAY_WORDS("r.json", "--finding=3"), 2,
             "tidemark: r.json: there is no finding 3, the report has 2\n");
  assert_ran(REPLAY_WORDS("r.json", "x"), 2, "tidemark: unexpected 'x' after r.json\n");
  assert_ran(REPLAY_WORDS("--finding=1"), 2,
             "tidemark: which report? usage: tidemark replay report.json\n");
  assert_ran(REPLAY_WORDS("--token=a:b", "./prog"), 2,
             "tidemark: --token: this is not a replay token\n");
  assert_ran(REPLAY_WORDS("--token=xyz", "./prog"), 2,
             "tidemark: --token: this is not a replay token\n");
  assert_false(worker_ran());
  str_free(&text);
}

static void missing_gdb(void **state) {
  (void)state;
  make_report();
  char *path = strdup(getenv("PATH"));
  setenv("PATH", "/nonexistent", 1);
  assert_says(REPLAY_WORDS("r.json", "--gdb"), 2,
              "tidemark: --gdb: gdb is not installed (no such program in PATH)\n");
  setenv("PATH", path, 1);
  free(path);
}

static void missing_program(void **state) {
  (void)state;
  make_report();
  assert_int_equal(rename("prog", "copy"), 0);
  assert_says(REPLAY_WORDS("r.json"), 3, ": no such program\n");
  assert_int_equal(rename("copy", "prog"), 0);
}

int main(int argc, char **argv) {
  if (argc > 1 && strncmp(argv[1], "results-fd=", 11) == 0)
    return act(argc, argv);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(exit_statuses),
      cmocka_unit_test(mistakes_cost_no_search),
      cmocka_unit_test(reports_to_files),
      cmocka_unit_test(reports_of_refused_programs),
      cmocka_unit_test(one_report_that_cannot_be_written),
      cmocka_unit_test(nothing_stored),
      cmocka_unit_test(sources_newer_than_the_program),
      cmocka_unit_test(known_findings),
      cmocka_unit_test(reproduced),
      cmocka_unit_test(not_reproduced),
      cmocka_unit_test(changed_program),
      cmocka_unit_test(unusable_replay_files),
      cmocka_unit_test(missing_gdb),
      cmocka_unit_test(missing_program),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
