/* Parts of a machine that containers leave to a process. */
#include "cli/container.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/tidemark-unit-XXXXXX";

/* A path below the folder, whose own folders are made; one at a time. */
static const char *path_of(const char *name) {
  static char path[128];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  for (char *c = path + sizeof folder; *c; c++)
    if (*c == '/') {
      *c = 0;
      mkdir(path, 0777);
      *c = '/';
    }
  return path;
}

static void file(const char *name, const char *contents) {
  FILE *f = fopen(path_of(name), "w");
  assert_non_null(f);
  fputs(contents, f);
  fclose(f);
}

static uint64_t memory(const char *groups) {
  char mounted_at[64];
  snprintf(mounted_at, sizeof mounted_at, "%s/groups", folder);
  file("own", groups);
  return container_memory(path_of("own"), mounted_at);
}

static int64_t cores(const char *groups) {
  char mounted_at[64];
  snprintf(mounted_at, sizeof mounted_at, "%s/groups", folder);
  file("own", groups);
  return container_cores(path_of("own"), mounted_at);
}

static int set_up(void **state) {
  (void)state;
  if (!mkdtemp(folder))
    return -1;
  file("groups/jobs/memory.max", "8589934592\n");
  file("groups/jobs/one/memory.max", "max\n");
  file("groups/jobs/two/memory.max", "1073741824\n");
  file("groups/jobs/cpu.max", "800000 100000\n");
  file("groups/jobs/one/cpu.max", "max 100000\n");
  file("groups/jobs/two/cpu.max", "150000 100000\n");
  file("groups/memory/memory.limit_in_bytes", "9223372036854771712\n");
  file("groups/memory/jobs/memory.limit_in_bytes", "2147483648\n");
  file("groups/cpu/cpu.cfs_quota_us", "-1\n");
  file("groups/cpu/cpu.cfs_period_us", "100000\n");
  file("groups/cpu/jobs/cpu.cfs_quota_us", "400000\n");
  file("groups/cpu/jobs/cpu.cfs_period_us", "100000\n");
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  char command[64];
  snprintf(command, sizeof command, "rm -rf %s", folder);
  return system(command);
}

static void second_version(void **state) {
  (void)state;
  assert_int_equal(memory("0::/jobs\n"), 8589934592);
  assert_int_equal(memory("0::/jobs/one\n"), 8589934592); /* what is around it counts */
  assert_int_equal(memory("0::/jobs/two\n"), 1073741824);
  assert_true(memory("0::/\n") == UINT64_MAX);
  assert_int_equal(cores("0::/jobs\n"), 8);
  assert_int_equal(cores("0::/jobs/one\n"), 8);
  assert_int_equal(cores("0::/jobs/two\n"), 2); /* one and a half */
  assert_int_equal(cores("0::/\n"), INT64_MAX);
}

static void first_version(void **state) {
  (void)state;
  static const char in_jobs[] = "9:name=systemd:/\n5:cpu,cpuacct:/jobs\n4:memory:/jobs/deep\n";
  assert_int_equal(memory(in_jobs), 2147483648);
  assert_int_equal(cores(in_jobs), 4);
  assert_int_equal(cores("3:cpuset:/jobs\n2:cpuacct:/jobs\n"), INT64_MAX);
  assert_int_equal(memory("4:memory:/docker/0123\n"),
                   9223372036854771712u); /* a path of the machine outside */
}

static void nothing_is_said(void **state) {
  (void)state;
  assert_true(container_memory("/nonexistent", "/nonexistent") == UINT64_MAX);
  assert_int_equal(container_cores("/nonexistent", "/nonexistent"), INT64_MAX);
  assert_true(memory("") == UINT64_MAX);
  assert_true(memory("broken\n:\n0:\n") == UINT64_MAX);
  assert_true(machine_memory() > 0 && machine_memory() < UINT64_MAX);
  assert_true(machine_cores() > 0 && machine_cores() < 100000);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(second_version),
                                     cmocka_unit_test(first_version),
                                     cmocka_unit_test(nothing_is_said)};
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
