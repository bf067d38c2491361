#include "cli/limits.h"
#include "finding/job.h"
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>

#define GIB ((uint64_t)1 << 30)
#define KIB ((uint64_t)1 << 10)
#define DESCRIPTORS_MIN 128
#define STACK_MIN (512 * KIB)         /* libdw takes some hundred KiB */
#define FILE_MIN ((uint64_t)64 << 20) /* shared memory is files to the system */

/* A soft limit is lifted; a hard one takes whoever set it. */
static bool lift(int which, uint64_t needed, uint64_t *was) {
  struct rlimit limit;
  if (getrlimit(which, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= needed)
    return true;
  *was = limit.rlim_cur;
  limit.rlim_cur = limit.rlim_max;
  return (limit.rlim_max == RLIM_INFINITY || limit.rlim_max >= needed) &&
         setrlimit(which, &limit) == 0;
}

static bool limit_suffices(int which, const char *what, const char *letter, uint64_t needed,
                           struct str *error) {
  uint64_t was;
  if (lift(which, needed, &was))
    return true;
  str_format(
      error,
      "the limit on %s (ulimit -%s, %llu MiB) is too small: the checker reserves %llu GiB of "
      "addresses, though little memory; run it where 'ulimit -%s' says unlimited",
      what, letter, (unsigned long long)(was >> 20), (unsigned long long)(needed / GIB), letter);
  return false;
}

bool limits_commit_suffices(const char *overcommit_file, const char *meminfo_file,
                            struct str *error) {
  FILE *f = fopen(overcommit_file, "re");
  int mode = f ? fgetc(f) : 0;
  if (f)
    fclose(f);
  if (mode != '2')
    return true;
  char line[256];
  unsigned long long limit_kib = 0, used_kib = 0;
  f = fopen(meminfo_file, "re");
  while (f && fgets(line, sizeof line, f)) {
    sscanf(line, "CommitLimit: %llu", &limit_kib);
    sscanf(line, "Committed_AS: %llu", &used_kib);
  }
  if (f)
    fclose(f);
  if (limit_kib > used_kib && limit_kib - used_kib >= JOB_WRITABLE_BYTES >> 10)
    return true;
  str_format(
      error,
      "this system does not let processes reserve more memory than it has "
      "(vm.overcommit_memory=2): the checker reserves %llu GiB, though it uses little of it; "
      "'sysctl vm.overcommit_memory=0' allows that",
      (unsigned long long)(JOB_WRITABLE_BYTES / GIB));
  return false;
}

static bool descriptors_suffice(struct str *error) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_max >= DESCRIPTORS_MIN)
    return true;
  str_format(error,
             "the limit on open files (ulimit -n, %lu) is too small: the checker and the program "
             "need %d, better 4096",
             (unsigned long)limit.rlim_max, DESCRIPTORS_MIN);
  return false;
}

static bool small_limit_suffices(int which, const char *what, const char *letter, uint64_t needed,
                                 struct str *error) {
  uint64_t was;
  if (lift(which, needed, &was))
    return true;
  str_format(error,
             "the limit on %s (ulimit -%s, %llu KiB) is too small: the checker needs %llu KiB",
             what, letter, (unsigned long long)(was / KIB), (unsigned long long)(needed / KIB));
  return false;
}

bool limits_suffice(struct str *error) {
  return descriptors_suffice(error) &&
         small_limit_suffices(RLIMIT_STACK, "the stack", "s", STACK_MIN, error) &&
         small_limit_suffices(RLIMIT_FSIZE, "files and shared memory", "f", FILE_MIN, error) &&
         limit_suffices(RLIMIT_AS, "virtual memory", "v", JOB_ADDRESS_BYTES, error) &&
         limit_suffices(RLIMIT_DATA, "data segments", "d", JOB_WRITABLE_BYTES, error) &&
         limits_commit_suffices("/proc/sys/vm/overcommit_memory", "/proc/meminfo", error);
}
