/* Calls that the model cannot carry: another process, a socket, a signal from outside.  They end
 * the execution and name the call; a few that programs can do without fail instead.
 *
 * No libc header: every function is declared with six words, which covers the arguments of all of
 * them, so that calls of our own on the host pass through to libc unchanged. */
#include "base/str.h"
#include "process/caller.h"
#include "process/stop.h"
#include "process/system_call.h"
#include "process/world.h"
#include <errno.h>

/* clang-format off */
#define REFUSED(X) \
  X(_Fork) \
  X(execl) \
  X(execle) X(execlp) X(execv) X(execve) X(execvp) X(execvpe) X(fexecve) X(execveat) \
      X(posix_spawn) X(posix_spawnp) X(system) X(popen) X(clone) X(daemon) X(mkfifo) X(mkfifoat) X(splice) X(tee) X(vmsplice) X(gethostbyname) X(semget) X(semop) X(msgget) X(mq_open) \
                  X(signalfd) \
                      X(ptrace) X(unshare) X(setns) \
                          X(chroot) X(io_setup) X(userfaultfd) \
  /* what is everybody's on the computer */ \
  X(sethostname) X(setdomainname) X(swapon) X(swapoff) X(acct) X(quotactl)
/* clang-format on */

typedef long six_words(long, long, long, long, long, long);

#define X(name) \
  INTERPOSE six_words refused_##name __asm__(#name); \
  long refused_##name(long a, long b, long c, long d, long e, long f) { \
    if (CALLED_BY_PROGRAM()) \
      stop_refuse(#name); \
    static six_words *real; \
    if (!real) \
      real = (six_words *)caller_real(#name); \
    return real(a, b, c, d, e, f); \
  }
REFUSED(X)
#undef X

/* The worker forks in --isolate; its child cannot follow writes with the parent's descriptors.  Libc's own fork would
 * count in libc's variables how often it was called, so that the world would never be what it was before (search/
 * standstill.h), and call what the program has given to pthread_atfork. */
INTERPOSE long refused_fork(void) __asm__("fork");
long refused_fork(void) {
  if (CALLED_BY_PROGRAM())
    stop_refuse("fork");
  long child = system_call_errno(SYS_fork);
  if (child == 0)
    world_after_fork();
  return child;
}

/* Event loops (Asio) wait with a deadline where there is no such descriptor. */
INTERPOSE int failing_timerfd_create(int clock, int flags) __asm__("timerfd_create");
int failing_timerfd_create(int clock, int flags) {
  (void)clock, (void)flags;
  if (stop_remark)
    stop_remark("timerfd_create failed: there are no such timers in a checked program");
  errno = ENOSYS;
  return -1;
}

/* The system's log is nobody's business here: libraries that complain to it (libpmem) go on. */
#define IGNORED(X) X(openlog) X(closelog) X(syslog) X(vsyslog) X(__syslog_chk) X(__vsyslog_chk)
#define X(name) \
  INTERPOSE long ignored_##name(void) __asm__(#name); \
  long ignored_##name(void) { \
    return 0; \
  }
IGNORED(X)
#undef X

/* Returns twice, so nothing may stand between it and its caller: the host has no use for it. */
INTERPOSE long refused_vfork(void) __asm__("vfork");
long refused_vfork(void) {
  if (fiber_current())
    stop_refuse("vfork");
  return refused_fork();
}
