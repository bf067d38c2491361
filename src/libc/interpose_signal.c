/* Signals.  Nobody outside sends any, so what is left is what the program does to itself: raise
 * calls the handler like a function, the mask decides whether now or at unblocking.  Faults are
 * findings before any handler is asked: those that catch them are there to report crashes. */
#include "libc/signals.h"
#include "process/caller.h"
#include "process/fault.h"
#include "process/machine_state.h"
#include "process/stop.h"
#include "process/virtual_clock.h"
#include "process/world.h"
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#define SIGNALS 65

/* Goes back with the program. */
static struct {
  struct sigaction *action; /* by signal, once there is one; world memory */
  sigset_t blocked, pending;
} state;

static struct sigaction action_of(int sig) {
  return state.action ? state.action[sig] : (struct sigaction){0};
}

static void set_action_of(int sig, const struct sigaction *a) {
  if (!state.action)
    state.action = world_alloc(SIGNALS * sizeof *state.action);
  state.action[sig] = *a;
}

static bool handled(int sig) {
  struct sigaction a = action_of(sig);
  return a.sa_handler != SIG_DFL && a.sa_handler != SIG_IGN;
}

static void signals_seal(void) {
  world_include(&state, sizeof state);
  fault_program_handles = handled;
}
WORLD_AT_SEAL(signals_seal)

static bool ignored_by_default(int sig) {
  return sig == SIGCHLD || sig == SIGURG || sig == SIGWINCH || sig == SIGCONT;
}

static int set_action(int sig, const struct sigaction *new, struct sigaction *old) {
  if (sig < 1 || sig >= SIGNALS || (new && (sig == SIGKILL || sig == SIGSTOP))) {
    errno = EINVAL;
    return -1;
  }
  machine_changed_shared();
  struct sigaction before = action_of(sig);
  if (new)
    set_action_of(sig, new);
  if (old)
    *old = before;
  return 0;
}

INTERPOSE int sigaction(int sig, const struct sigaction *new, struct sigaction *old) {
  if (!CALLED_BY_PROGRAM())
    return REAL(sigaction)(sig, new, old);
  return set_action(sig, new, old);
}

INTERPOSE sighandler_t signal(int sig, sighandler_t handler) {
  struct sigaction new = {.sa_handler = handler, .sa_flags = SA_RESTART}, old;
  int failed = CALLED_BY_PROGRAM() ? set_action(sig, &new, &old) : REAL(sigaction)(sig, &new, &old);
  return failed ? SIG_ERR : old.sa_handler;
}

static void end_by_default(int sig) {
  if (sig == SIGABRT)
    stop_with(STOP_ABORT, NULL, "abort (SIGABRT) raised by the program");
  struct stop s = {.kind = sig == SIGSEGV ? STOP_SEGFAULT : STOP_FATAL_SIGNAL, .status = sig};
  const char *name = sigabbrev_np(sig);
  strcpy(s.message, "SIG"); /* layers: ok, constant text */
  strncat(s.message, name ? name : "RT", 16);
  strcat(s.message, " raised by the program");
  stop_execution(&s);
}

static void deliver(int sig) {
  struct sigaction a = action_of(sig);
  if (a.sa_handler == SIG_IGN || (a.sa_handler == SIG_DFL && ignored_by_default(sig)))
    return;
  if (a.sa_handler == SIG_DFL)
    end_by_default(sig);
  if (a.sa_flags & SA_RESETHAND)
    state.action[sig].sa_handler = SIG_DFL; /* there is one, or we had returned */
  sigset_t before = state.blocked;
  sigorset(&state.blocked, &state.blocked, &a.sa_mask);
  if (!(a.sa_flags & SA_NODEFER))
    sigaddset(&state.blocked, sig);
  siginfo_t info = {.si_signo = sig, .si_code = SI_TKILL};
  fiber_call((void *)a.sa_handler, sig, (long)&info, 0);
  state.blocked = before;
}

int signals_raise(int sig) {
  machine_changed_shared();
  if (sig < 0 || sig >= SIGNALS) {
    errno = EINVAL;
    return -1;
  }
  if (sig && sigismember(&state.blocked, sig))
    sigaddset(&state.pending, sig);
  else if (sig)
    deliver(sig);
  return 0;
}

INTERPOSE int raise(int sig) {
  return CALLED_BY_PROGRAM() ? signals_raise(sig) : REAL(raise)(sig);
}

INTERPOSE int kill(pid_t pid, int sig) {
  if (!CALLED_BY_PROGRAM())
    return REAL(kill)(pid, sig);
  if (pid != 0 && pid != VIRTUAL_PROCESS)
    stop_refuse("kill of another process");
  return signals_raise(sig);
}

static int set_mask(int how, const sigset_t *set, sigset_t *old) {
  machine_changed_shared();
  sigset_t before = state.blocked;
  if (set && how == SIG_BLOCK)
    sigorset(&state.blocked, &state.blocked, set);
  else if (set && how == SIG_SETMASK)
    state.blocked = *set;
  else if (set && how == SIG_UNBLOCK)
    for (int sig = 1; sig < SIGNALS; sig++)
      if (sigismember(set, sig) == 1)
        sigdelset(&state.blocked, sig);
  if (old)
    *old = before;
  for (int sig = 1; sig < SIGNALS; sig++)
    if (sigismember(&state.pending, sig) == 1 && !sigismember(&state.blocked, sig)) {
      sigdelset(&state.pending, sig);
      deliver(sig);
    }
  return 0;
}

INTERPOSE int sigprocmask(int how, const sigset_t *set, sigset_t *old) {
  return CALLED_BY_PROGRAM() ? set_mask(how, set, old) : REAL(sigprocmask)(how, set, old);
}

INTERPOSE int pthread_sigmask(int how, const sigset_t *set, sigset_t *old) {
  return CALLED_BY_PROGRAM() ? set_mask(how, set, old) : REAL(pthread_sigmask)(how, set, old);
}

INTERPOSE int sigpending(sigset_t *set) {
  if (!CALLED_BY_PROGRAM())
    return REAL(sigpending)(set);
  *set = state.pending;
  return 0;
}

/* The worker's signal stack stays in place. */
INTERPOSE int sigaltstack(const stack_t *new, stack_t *old) {
  if (!CALLED_BY_PROGRAM())
    return REAL(sigaltstack)(new, old);
  if (old)
    *old = (stack_t){.ss_flags = SS_DISABLE};
  return 0;
}
