#include "cli/container.h"
#include "base/str.h"
#include <inttypes.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GROUPS_FILE "/proc/self/cgroup"
#define MOUNTED_AT "/sys/fs/cgroup"

/* What a file of a group says: up to two numbers.  Their count; "max" is no number. */
static int read_numbers(const char *folder, const char *name, int64_t numbers[2]) {
  struct str path = {0};
  str_format(&path, "%s/%s", folder, name);
  FILE *f = fopen(str_text(&path), "re");
  int count = f ? fscanf(f, "%" SCNd64 " %" SCNd64, &numbers[0], &numbers[1]) : 0;
  if (f)
    fclose(f);
  str_free(&path);
  return count;
}

/* ---- what one group allows ---- */

static int64_t memory_of(const char *folder, bool second) {
  int64_t n[2];
  int count = read_numbers(folder, second ? "memory.max" : "memory.limit_in_bytes", n);
  return count > 0 && n[0] > 0 ? n[0] : INT64_MAX;
}

/* A quota of time in each period; a part of a core is one. */
static int64_t cores_of(const char *folder, bool second) {
  int64_t n[2], period[2];
  bool limited = second ? read_numbers(folder, "cpu.max", n) == 2
                        : read_numbers(folder, "cpu.cfs_quota_us", n) > 0 &&
                              read_numbers(folder, "cpu.cfs_period_us", period) > 0;
  if (limited && !second)
    n[1] = period[0];
  return limited && n[0] > 0 && n[1] > 0 ? (n[0] + n[1] - 1) / n[1] : INT64_MAX;
}

/* ---- the groups that this process is in ---- */

struct limit {
  const char *controller;
  int64_t (*of)(const char *folder, bool second);
};

/* The least of a group and those around it.  In a container the path may be that of the machine outside, and only the
 * last folder is there: it is the container's own. */
static int64_t least_above(const struct limit *l, const char *mounted_at, const char *group,
                           bool second) {
  struct str folder = {0};
  str_format(&folder, "%s%s%s%s", mounted_at, second ? "" : "/", second ? "" : l->controller,
             group);
  size_t top = folder.length - strlen(group);
  int64_t least = INT64_MAX;
  for (;;) {
    int64_t here = l->of(str_text(&folder), second);
    least = here < least ? here : least;
    if (folder.length <= top)
      break;
    while (folder.length > top && folder.data[--folder.length] != '/')
      continue;
    folder.data[folder.length] = 0;
  }
  str_free(&folder);
  return least;
}

/* "4:memory:/group", "5:cpu,cpuacct:/group"; of the second version "0::/group". */
static bool applies(const char *controllers, const char *wanted) {
  size_t n = strlen(wanted);
  for (const char *c = controllers; c; c = strchr(c, ','), c = c ? c + 1 : NULL)
    if (strncmp(c, wanted, n) == 0 && (c[n] == ',' || !c[n]))
      return true;
  return false;
}

static int64_t least(const struct limit *l, const char *groups_file, const char *mounted_at) {
  FILE *f = fopen(groups_file, "re");
  char *line = NULL;
  size_t size = 0;
  int64_t least = INT64_MAX;
  while (f && getline(&line, &size, f) > 0) {
    line[strcspn(line, "\n")] = 0;
    char *controllers = strchr(line, ':'), *group = controllers ? strchr(++controllers, ':') : NULL;
    if (!group)
      continue;
    *group++ = 0;
    bool second = !*controllers;
    if (!second && !applies(controllers, l->controller))
      continue;
    int64_t here = least_above(l, mounted_at, group, second);
    least = here < least ? here : least;
  }
  free(line);
  if (f)
    fclose(f);
  return least;
}

uint64_t container_memory(const char *groups_file, const char *mounted_at) {
  int64_t bytes = least(&(struct limit){"memory", memory_of}, groups_file, mounted_at);
  return bytes == INT64_MAX ? UINT64_MAX : (uint64_t)bytes;
}

int64_t container_cores(const char *groups_file, const char *mounted_at) {
  return least(&(struct limit){"cpu", cores_of}, groups_file, mounted_at);
}

/* ---- the machine ---- */

uint64_t machine_memory(void) {
  uint64_t all = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
  uint64_t ours = container_memory(GROUPS_FILE, MOUNTED_AT);
  return ours < all ? ours : all;
}

int64_t machine_cores(void) {
  cpu_set_t set;
  int64_t all = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
  int64_t ours = container_cores(GROUPS_FILE, MOUNTED_AT);
  return ours < all ? ours : all;
}
