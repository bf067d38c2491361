/* Calls that the model cannot carry: another process, a socket, a signal from outside.  They end
 * the execution and name the call; a few that programs can do without fail instead.
 *
 * No libc header: every function is declared with six words, which covers the arguments of all of
 * them, so that calls of our own on the host pass through to libc unchanged. */
#include "base/str.h"
#include "process/caller.h"
#include "process/stop.h"
#include "process/world.h"

/* clang-format off */
#define REFUSED(X) \
  X(_Fork) \
  X(execl) \
  X(execle) X(execlp) X(execv) X(execve) X(execvp) X(execvpe) X(fexecve) X(execveat) \
      X(posix_spawn) X(posix_spawnp) X(system) X(popen) X(clone) X(daemon) X(socket) X(socketpair) \
          X(connect) X(bind) X(listen) X(accept) X(accept4) X(getaddrinfo) X(gethostbyname) \
              X(semget) X(semop) X(msgget) X(mq_open) X(alarm) X(ualarm) X(setitimer) \
                  X(timer_create) X(timerfd_create) X(signalfd) X(sigwait) X(sigwaitinfo) \
                      X(sigtimedwait) X(sigsuspend) X(pause) X(ptrace) X(unshare) X(setns) \
                          X(chroot) X(setuid) X(setgid) X(io_setup) X(userfaultfd)
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

/* The worker forks in --isolate; its child cannot follow writes with the parent's descriptors. */
INTERPOSE long refused_fork(void) __asm__("fork");
long refused_fork(void) {
  if (CALLED_BY_PROGRAM())
    stop_refuse("fork");
  static long (*real)(void);
  if (!real)
    real = (long (*)(void))caller_real("fork");
  long child = (int)real();
  if (child == 0)
    world_after_fork();
  return child;
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

/* The dynamic linker's own state is not part of the world, so a library that is not loaded yet stays
 * away.  Most programs ask for it because they can do without (TBB for its allocator). */
#define NO_LOAD 4 /* RTLD_NOLOAD */

static bool library_missed; /* the next dlerror speaks of it */
static void *(*real_dlopen)(const char *, int);
static char *(*real_dlerror)(void);

/* Looking a function up forgets the last error, so both are found before there is one. */
static void find_loader_functions(void) {
  if (real_dlopen)
    return;
  real_dlerror = (char *(*)(void))caller_real("dlerror");
  real_dlopen = (void *(*)(const char *, int))caller_real("dlopen");
}

extern int access(const char *path, int mode);
extern char *strchr(const char *text, int c);

static void *miss_library(const char *name) {
  library_missed = true;
  if (!stop_remark || (strchr(name, '/') && access(name, 0) != 0))
    return NULL; /* elsewhere it would be missing too */
  struct str text = {0};
  str_format(&text,
             "dlopen(\"%s\") failed: a checked program cannot load libraries while it runs; "
             "if it needs this one, link it (-l)",
             name);
  stop_remark(str_text(&text));
  str_free(&text);
  return NULL;
}

INTERPOSE void *refused_dlopen(const char *name, int flags) __asm__("dlopen");
void *refused_dlopen(const char *name, int flags) {
  find_loader_functions();
  if (!CALLED_BY_PROGRAM() || !name)
    return real_dlopen(name, flags);
  library_missed = false;
  void *loaded = real_dlopen(name, flags | NO_LOAD);
  return loaded || flags & NO_LOAD ? loaded : miss_library(name);
}

INTERPOSE char *answer_dlerror(void) __asm__("dlerror");
char *answer_dlerror(void) {
  find_loader_functions();
  char *text = real_dlerror();
  if (!CALLED_BY_PROGRAM() || !library_missed)
    return text;
  library_missed = false;
  return "a checked program cannot load libraries while it runs";
}
