/* Who the process is and how much it may use.  Servers give rights away when they start, and raise or
 * lower limits; the process is the worker's, so they are told that it was done and nothing changes. */
#include "process/caller.h"
#include <grp.h>
#include <sys/fsuid.h>
#include <sys/resource.h>
#include <unistd.h>

#define DEFINE(name, parameters, ...) \
  INTERPOSE int name parameters { \
    return CALLED_BY_PROGRAM() ? 0 : REAL(name)(__VA_ARGS__); \
  }

DEFINE(setuid, (uid_t user), user)
DEFINE(setgid, (gid_t group), group)
DEFINE(seteuid, (uid_t user), user)
DEFINE(setegid, (gid_t group), group)
DEFINE(setreuid, (uid_t real, uid_t effective), real, effective)
DEFINE(setregid, (gid_t real, gid_t effective), real, effective)
DEFINE(setresuid, (uid_t real, uid_t effective, uid_t saved), real, effective, saved)
DEFINE(setresgid, (gid_t real, gid_t effective, gid_t saved), real, effective, saved)
DEFINE(setgroups, (size_t count, const gid_t *groups), count, groups)
DEFINE(initgroups, (const char *user, gid_t group), user, group)
DEFINE(setpriority, (__priority_which_t which, id_t who, int value), which, who, value)
DEFINE(setrlimit, (__rlimit_resource_t which, const struct rlimit *limit), which, limit)

INTERPOSE int setrlimit64(__rlimit_resource_t which, const struct rlimit64 *limit) {
  return CALLED_BY_PROGRAM() ? 0 : REAL(setrlimit64)(which, limit);
}
