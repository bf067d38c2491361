/* Systems on which the worker could not start. */
#include "cli/limits.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/tidemark-unit-XXXXXX";

static const char *file(const char *name, const char *contents) {
  static char paths[2][64];
  static int next;
  char *path = paths[next++ % 2];
  snprintf(path, sizeof paths[0], "%s/%s", folder, name);
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  fputs(contents, f);
  fclose(f);
  return path;
}

static bool suffices(const char *mode, const char *memory, struct str *error) {
  return limits_commit_suffices(file("overcommit", mode), file("meminfo", memory), error);
}

#define MEMORY(limit) "MemTotal: 16000000 kB\nCommitLimit:  " limit " kB\nCommitted_AS:  1000 kB\n"

static void overcommit(void **state) {
  (void)state;
  struct str error = {0};
  assert_true(suffices("0\n", MEMORY("16000000"), &error));
  assert_true(suffices("1\n", MEMORY("16000000"), &error));
  assert_true(suffices("2\n", MEMORY("900000000000"), &error));
  assert_true(limits_commit_suffices("/nonexistent", "/nonexistent", &error));
  assert_int_equal(error.length, 0);
  assert_false(suffices("2\n", MEMORY("16000000"), &error));
  assert_non_null(strstr(str_text(&error), "vm.overcommit_memory=2"));
  assert_non_null(strstr(str_text(&error), "'sysctl vm.overcommit_memory=0'"));
  assert_null(strchr(str_text(&error), '\n'));
  str_free(&error);
}

/* In a child: limits do not go up again. */
static int under(int which, rlim_t soft, rlim_t hard, const char *says) {
  pid_t child = fork();
  if (child == 0) {
    struct str error = {0};
    setrlimit(which, &(struct rlimit){soft, hard});
    bool suffice = limits_suffice(&error);
    _exit(says ? suffice || !strstr(str_text(&error), says) : !suffice || error.length);
  }
  int status;
  waitpid(child, &status, 0);
  return status;
}

static void resource_limits(void **state) {
  (void)state;
  rlim_t small = (rlim_t)8 << 30, none = RLIM_INFINITY;
  assert_int_equal(under(RLIMIT_AS, none, none, NULL), 0);
  assert_int_equal(under(RLIMIT_AS, small, none, NULL), 0);
  assert_int_equal(under(RLIMIT_AS, small, small, "(ulimit -v, 8192 MiB) is too small"), 0);
  assert_int_equal(under(RLIMIT_NOFILE, 20, 256, NULL), 0);
  assert_int_equal(under(RLIMIT_NOFILE, 20, 100, "(ulimit -n, 100) is too small"), 0);
  assert_int_equal(under(RLIMIT_STACK, 65536, 8 << 20, NULL), 0);
  assert_int_equal(under(RLIMIT_STACK, 65536, 65536, "(ulimit -s, 64 KiB) is too small"), 0);
  assert_int_equal(under(RLIMIT_FSIZE, 0, none, NULL), 0);
  assert_int_equal(under(RLIMIT_FSIZE, 0, 0, "(ulimit -f, 0 KiB) is too small"), 0);
  assert_int_equal(under(RLIMIT_DATA, small, small, "(ulimit -d, 8192 MiB) is too small"), 0);
}

int main(void) {
  if (!mkdtemp(folder))
    return 99;
  const struct CMUnitTest tests[] = {cmocka_unit_test(overcommit),
                                     cmocka_unit_test(resource_limits)};
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  char command[64];
  snprintf(command, sizeof command, "rm -rf %s", folder);
  return system(command) || failed;
}
