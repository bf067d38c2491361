/* Signals.  Nobody outside sends any, so what is left is what the program does to itself.  One for the thread that sends
 * it is delivered at once: the handler is called like a function.  One that is blocked is pending, for the thread or for
 * the process, until somebody unblocks it or waits for it (sigwait).  Other threads cannot be interrupted: they can wait
 * for a signal, ignore it, or be ended by it.  Faults are findings before any handler is asked: those that catch them are
 * there to report crashes.
 *
 * With several threads these are steps: a change of a thread's mask is one on the mask, and who sends a signal looks at one
 * thread after the other.  So masks alone, which many programs set in each thread, are in nobody's way. */
#include "access/access.h"
#include "base/str.h"
#include "libc/memory.h"
#include "libc/signals.h"
#include "process/caller.h"
#include "process/fault.h"
#include "process/gate.h"
#include "process/machine_state.h"
#include "process/stop.h"
#include "process/virtual_clock.h"
#include "process/world.h"
#include "thread/thread.h"
#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SIGNALS 65

/* A signal that is pending, for the process or a thread (id); world memory.  As on Linux: of those from SIGRTMIN on each
 * one, of the others the first. */
struct queued {
  struct queued *next;
  int thread; /* -1: the process */
  siginfo_t info;
};

/* Goes back with the program. */
struct signals {
  struct sigaction *action;      /* by signal, once there is one; world memory */
  uint64_t pending;              /* for the process, a bit for each signal */
  struct thread_queue waiting;   /* for signals */
  struct queued *queue, *newest; /* what is known of pending ones, oldest first */
};
static struct signals of_machine[MACHINES_MAX];

/* Of the process: that is the machine. */
static struct signals *own(void) {
  const struct thread *t = fiber_current() ? thread_current() : NULL;
  return &of_machine[t ? t->machine : 0];
}

static const char arrivals; /* the object of steps in which signals come and are taken */

static uint64_t bit_of(int sig) {
  return (uint64_t)1 << (sig - 1);
}

static uint64_t bits_of(const sigset_t *set) {
  uint64_t bits = 0;
  for (int sig = 1; sig < SIGNALS; sig++)
    bits |= sigismember(set, sig) == 1 ? bit_of(sig) : 0;
  return bits & ~bit_of(SIGKILL) & ~bit_of(SIGSTOP);
}

/* As much of a set as the kernel knows. */
static void give_bits(sigset_t *to, uint64_t bits) {
  sigset_t set;
  sigemptyset(&set);
  for (int sig = 1; sig < SIGNALS; sig++)
    if (bits & bit_of(sig))
      sigaddset(&set, sig);
  memory_give(to, &set, SIGNALS / 8);
}

static void enter(const void *object) {
  if (thread_count() < 2)
    return;
  if (!thread_at(object, NULL, OPERATION_LOCK_OTHER))
    thread_at_lock(object, OPERATION_LOCK_OTHER);
  thread_memory.synchronise();
}

static struct sigaction action_of(int sig) {
  return own()->action ? own()->action[sig] : (struct sigaction){0};
}

static void set_action_of(int sig, const struct sigaction *a) {
  if (!own()->action)
    own()->action = world_alloc(SIGNALS * sizeof *own()->action);
  own()->action[sig] = *a;
}

bool signals_handled(int sig) {
  struct sigaction a = action_of(sig);
  return a.sa_handler != SIG_DFL && a.sa_handler != SIG_IGN;
}

static uint64_t mask_of_thread(void) {
  return thread_current()->signals_blocked;
}

static void signals_seal(void) {
  world_include(of_machine, sizeof of_machine);
  gate_signal_mask = mask_of_thread;
  fault_program_handles = signals_handled;
}
WORLD_AT_SEAL(signals_seal)

static bool ignored_by_default(int sig) {
  return sig == SIGCHLD || sig == SIGURG || sig == SIGWINCH || sig == SIGCONT;
}

int signals_set_action(int sig, const struct sigaction *new, struct sigaction *old) {
  if (sig < 1 || sig >= SIGNALS || (new && (sig == SIGKILL || sig == SIGSTOP))) {
    errno = EINVAL;
    return -1;
  }
  machine_changed_shared();
  struct sigaction before = action_of(sig);
  if (new)
    set_action_of(sig, new);
  timers_note_handlers();
  if (old)
    memory_give(old, &before, sizeof before);
  return 0;
}

INTERPOSE int sigaction(int sig, const struct sigaction *new, struct sigaction *old) {
  if (!CALLED_BY_PROGRAM())
    return REAL(sigaction)(sig, new, old);
  return signals_set_action(sig, new, old);
}

INTERPOSE sighandler_t signal(int sig, sighandler_t handler) {
  struct sigaction new = {.sa_handler = handler, .sa_flags = SA_RESTART}, old;
  int failed =
      CALLED_BY_PROGRAM() ? signals_set_action(sig, &new, &old) : REAL(sigaction)(sig, &new, &old);
  return failed ? SIG_ERR : old.sa_handler;
}

/* Of the process, by a signal to that thread. */
static void end_by_default(int sig, const struct thread *t) {
  if (sig == SIGABRT)
    stop_with(STOP_ABORT, NULL, "abort (SIGABRT) raised by the program");
  struct stop s = {.kind = sig == SIGSEGV ? STOP_SEGFAULT : STOP_FATAL_SIGNAL, .status = sig};
  const char *name = sigabbrev_np(sig);
  struct str text = {0};
  str_format(&text, "SIG%s raised by the program", name ? name : "RT");
  if (t != thread_current())
    str_format(&text, ": it ends the process, because thread %d does not block it", t->id);
  stop_set_message(&s, str_text(&text));
  str_free(&text);
  stop_execution(&s);
}

static void deliver(int sig, siginfo_t *info) {
  struct sigaction a = action_of(sig);
  if (a.sa_handler == SIG_IGN || (a.sa_handler == SIG_DFL && ignored_by_default(sig)))
    return;
  if (a.sa_handler == SIG_DFL)
    end_by_default(sig, thread_current());
  if (a.sa_flags & SA_RESETHAND)
    own()->action[sig].sa_handler = SIG_DFL; /* there is one, or we had returned */
  struct thread *self = thread_current();
  uint64_t before = self->signals_blocked;
  self->signals_blocked |= bits_of(&a.sa_mask) | (a.sa_flags & SA_NODEFER ? 0 : bit_of(sig));
  fiber_call((void *)a.sa_handler, sig, (long)info, 0);
  self->signals_blocked = before;
}

/* ---- pending ones ---- */

static siginfo_t info_of(int sig, int code, union sigval value) {
  siginfo_t info = {.si_signo = sig, .si_code = code};
  info.si_pid = thread_pid();
  info.si_uid = getuid();
  info.si_value = value;
  return info;
}

static const union sigval no_value;

/* It is pending now; t: NULL for the process. */
static void post(struct thread *t, const siginfo_t *info) {
  uint64_t *bits = t ? &t->signals_pending : &own()->pending;
  bool known = *bits & bit_of(info->si_signo);
  *bits |= bit_of(info->si_signo);
  if (known && info->si_signo < SIGRTMIN)
    return;
  struct queued *q = world_alloc(sizeof *q),
                **at = own()->queue ? &own()->newest->next : &own()->queue;
  *q = (struct queued){.thread = t ? t->id : -1, .info = *info};
  *at = own()->newest = q;
}

/* The first of these signals that is pending for the current thread is not any more; 0: none is. */
static int take(uint64_t wanted, siginfo_t *info) {
  struct thread *self = thread_current();
  bool mine = self->signals_pending & wanted;
  uint64_t *bits = mine ? &self->signals_pending : &own()->pending;
  if (!(*bits & wanted))
    return 0;
  int sig = __builtin_ctzll(*bits & wanted) + 1, thread = mine ? self->id : -1;
  *bits &= ~bit_of(sig);
  *info = (siginfo_t){.si_signo = sig, .si_code = SI_USER};
  bool taken = false;
  for (struct queued **at = &own()->queue, *before = NULL, *q; (q = *at);) {
    if (q->thread != thread || q->info.si_signo != sig) {
      at = &q->next;
      before = q;
    } else if (taken) {
      *bits |= bit_of(sig);
      break;
    } else {
      taken = true;
      *info = q->info;
      *at = q->next;
      if (own()->newest == q)
        own()->newest = before;
    }
  }
  return sig;
}

/* ---- sending ---- */

static bool takes_by_waiting(const struct thread *t, int sig) {
  return t->state == THREAD_WAITING && t->signals_awaited & bit_of(sig);
}

static void wake(struct thread *t) {
  if (t->state == THREAD_WAITING && t->signals_awaited)
    thread_wake(t);
}

/* To a thread that is not the current one: it can be waiting for it, or have blocked it. */
static void send_to(struct thread *t, const siginfo_t *info) {
  int sig = info->si_signo;
  if (takes_by_waiting(t, sig) || t->signals_blocked & bit_of(sig)) {
    post(t, info);
    wake(t);
    return;
  }
  struct sigaction a = action_of(sig);
  if (a.sa_handler == SIG_IGN || (a.sa_handler == SIG_DFL && ignored_by_default(sig)))
    return;
  if (a.sa_handler == SIG_DFL)
    end_by_default(sig, t);
  stop_refuse("a signal whose handler interrupts another thread");
}

static void send_to_self(siginfo_t *info) {
  struct thread *self = thread_current();
  machine_changed_shared();
  if (self->signals_blocked & bit_of(info->si_signo))
    post(self, info);
  else
    deliver(info->si_signo, info);
}

static bool is_signal(int sig) {
  if (sig >= 0 && sig < SIGNALS)
    return true;
  errno = EINVAL;
  return false;
}

int signals_raise(int sig) {
  siginfo_t info = info_of(sig, SI_TKILL, no_value);
  if (!is_signal(sig))
    return -1;
  if (sig)
    send_to_self(&info);
  return 0;
}

/* To any thread of the process that does not block it; of several, who waits for it, and then who sends it. */
static void send_to_process(siginfo_t *info) {
  struct thread *self = thread_current(), *open = NULL;
  int sig = info->si_signo;
  bool alone = thread_live() < 2, blocked = self->signals_blocked & bit_of(sig);
  if (alone && !blocked) {
    send_to_self(info);
    return;
  }
  for (int i = 0; i < thread_count(); i++) {
    struct thread *t = thread_by_id(i);
    if (t == self || t->machine != self->machine)
      continue;
    enter(t);
    if (t->state != THREAD_DONE && !open && !(t->signals_blocked & bit_of(sig)))
      open = t;
  }
  enter(&arrivals);
  for (struct thread *t = own()->waiting.first; t; t = t->queue_next)
    if (takes_by_waiting(t, sig)) {
      send_to(t, info);
      return;
    }
  if (!(self->signals_blocked & bit_of(sig)))
    send_to_self(info);
  else if (open)
    send_to(open, info);
  else
    post(NULL, info);
}

static int kill_self(int sig, int code, union sigval value) {
  siginfo_t info = info_of(sig, code, value);
  if (!is_signal(sig))
    return -1;
  if (sig)
    send_to_process(&info);
  return 0;
}

INTERPOSE int raise(int sig) {
  return CALLED_BY_PROGRAM() ? signals_raise(sig) : REAL(raise)(sig);
}

/* Whether another machine lives is asked like this by programs that were written for several processes.  Where all
 * schedules are explored, the end of its program is no step that could be seen: then nobody has waited for the process
 * yet. */
static bool process_lives(pid_t pid) {
  int machine = pid - VIRTUAL_PROCESS;
  if (machine < 0 || machine >= access_machines() || access_machine_failed(machine))
    return false;
  return thread_strategy.choose || !thread_machine_ended(machine);
}

static int kill_other(pid_t pid, int sig) {
  if (!is_signal(sig))
    return -1;
  if (sig || pid < 0)
    stop_refuse("a signal to another process");
  if (process_lives(pid))
    return 0;
  errno = ESRCH;
  return -1;
}

INTERPOSE int kill(pid_t pid, int sig) {
  if (!CALLED_BY_PROGRAM())
    return REAL(kill)(pid, sig);
  if (pid == 0 || pid == thread_pid())
    return kill_self(sig, SI_USER, no_value);
  return kill_other(pid, sig);
}

INTERPOSE int killpg(pid_t group, int sig) {
  if (!CALLED_BY_PROGRAM())
    return REAL(killpg)(group, sig);
  if (group == 0 || group == getpgrp()) /* nobody else is in it */
    return kill_self(sig, SI_USER, no_value);
  stop_refuse("killpg of another group of processes");
}

INTERPOSE int sigqueue(pid_t pid, int sig, const union sigval value) {
  if (!CALLED_BY_PROGRAM())
    return REAL(sigqueue)(pid, sig, value);
  return pid == thread_pid() ? kill_self(sig, SI_QUEUE, value) : kill_other(pid, sig);
}

static int send_to_handle(pthread_t handle, siginfo_t *info) {
  struct thread *t = thread_ever_of_handle(handle);
  if (t && t != thread_current())
    enter(t); /* before or after its end */
  if (!thread_of_handle(handle))
    return ESRCH;
  if (info->si_signo < 0 || info->si_signo >= SIGNALS)
    return EINVAL;
  if (!info->si_signo)
    return 0;
  if (t == thread_current()) {
    send_to_self(info);
    return 0;
  }
  enter(&arrivals);
  if (t->state != THREAD_DONE)
    send_to(t, info);
  return 0;
}

INTERPOSE int pthread_kill(pthread_t handle, int sig) {
  if (!fiber_current())
    return REAL(pthread_kill)(handle, sig);
  siginfo_t info = info_of(sig, SI_TKILL, no_value);
  return send_to_handle(handle, &info);
}

INTERPOSE int pthread_sigqueue(pthread_t handle, int sig, const union sigval value) {
  if (!fiber_current())
    return REAL(pthread_sigqueue)(handle, sig, value);
  siginfo_t info = info_of(sig, SI_QUEUE, value);
  return send_to_handle(handle, &info);
}

/* ---- masks ---- */

static void deliver_unblocked(void) {
  siginfo_t info;
  for (int sig; (sig = take(~thread_current()->signals_blocked, &info));)
    deliver(sig, &info);
}

int signals_set_mask(int how, const sigset_t *set, sigset_t *old) {
  if (set && how != SIG_BLOCK && how != SIG_UNBLOCK && how != SIG_SETMASK)
    return EINVAL;
  machine_changed_shared();
  struct thread *self = thread_current();
  uint64_t before = self->signals_blocked, bits = set ? bits_of(set) : 0, now = before;
  if (set && how == SIG_BLOCK)
    now |= bits;
  else if (set && how == SIG_SETMASK)
    now = bits;
  else if (set && how == SIG_UNBLOCK)
    now &= ~bits;
  if (now != before) {
    enter(self);
    self->signals_blocked = now;
    timers_note_handlers();
  }
  if (old)
    give_bits(old, before);
  if (before & ~now)
    enter(&arrivals);
  deliver_unblocked();
  return 0;
}

INTERPOSE int sigprocmask(int how, const sigset_t *set, sigset_t *old) {
  if (!CALLED_BY_PROGRAM())
    return REAL(sigprocmask)(how, set, old);
  int failed = signals_set_mask(how, set, old);
  if (failed)
    errno = failed;
  return failed ? -1 : 0;
}

INTERPOSE int pthread_sigmask(int how, const sigset_t *set, sigset_t *old) {
  return CALLED_BY_PROGRAM() ? signals_set_mask(how, set, old)
                             : REAL(pthread_sigmask)(how, set, old);
}

/* Out of a handler, mostly, whose signal is blocked until then.  What it saved came through the gate. */
static void leap_with_mask(const struct __jmp_buf_tag *to) {
  if (to->__mask_was_saved && gate_enabled)
    signals_set_mask(SIG_SETMASK, &to->__saved_mask, NULL);
}

#define DEFINE_LEAP(name) \
  INTERPOSE _Noreturn void name(struct __jmp_buf_tag to[1], int value); \
  void name(struct __jmp_buf_tag to[1], int value) { \
    if (CALLED_BY_PROGRAM()) \
      leap_with_mask(to); \
    REAL(name)(to, value); \
    __builtin_unreachable(); \
  }
DEFINE_LEAP(longjmp)
DEFINE_LEAP(_longjmp)
DEFINE_LEAP(siglongjmp)
DEFINE_LEAP(__longjmp_chk)

INTERPOSE int sigpending(sigset_t *set) {
  if (!CALLED_BY_PROGRAM())
    return REAL(sigpending)(set);
  enter(&arrivals);
  give_bits(set, own()->pending | thread_current()->signals_pending);
  return 0;
}

/* ---- waiting ---- */

/* One of these signals, which is taken; 0: none has come by then (0: never, 1: at once). */
static int await(uint64_t wanted, siginfo_t *info, unsigned long deadline) {
  struct thread *self = thread_current();
  for (bool late = deadline == 1;;) {
    enter(&arrivals);
    int sig = take(wanted, info);
    if (sig)
      return sig;
    if (late || (deadline && thread_times_out(deadline)))
      return 0;
    self->signals_awaited = wanted;
    thread_check_uncancelled("pthread_cancel of a thread that waits for a signal");
    late = !thread_wait_in(&own()->waiting, NULL, "a signal", deadline);
    thread_end_uncancelled();
    self->signals_awaited = 0;
  }
}

INTERPOSE int sigwait(const sigset_t *set, int *sig) {
  if (!CALLED_BY_PROGRAM())
    return REAL(sigwait)(set, sig);
  machine_changed_shared();
  siginfo_t info;
  int came = await(bits_of(set), &info, 0);
  memory_give(sig, &came, sizeof came);
  return 0;
}

static int await_info(const sigset_t *set, siginfo_t *info, unsigned long deadline) {
  machine_changed_shared();
  siginfo_t taken;
  int sig = await(bits_of(set), &taken, deadline);
  if (!sig) {
    errno = EAGAIN;
    return -1;
  }
  if (taken.si_code == SI_TKILL) /* as glibc has it */
    taken.si_code = SI_USER;
  if (info)
    memory_give(info, &taken, sizeof taken);
  return sig;
}

INTERPOSE int sigwaitinfo(const sigset_t *set, siginfo_t *info) {
  return CALLED_BY_PROGRAM() ? await_info(set, info, 0) : REAL(sigwaitinfo)(set, info);
}

INTERPOSE int sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *time) {
  if (!CALLED_BY_PROGRAM())
    return REAL(sigtimedwait)(set, info, time);
  unsigned long ns =
      time ? (unsigned long)time->tv_sec * CLOCK_SECOND + (unsigned long)time->tv_nsec : 0;
  return await_info(set, info, !time ? 0 : ns ? thread_virtual_time() + ns : 1);
}

/* A signal that is handled comes, and its handler has run. */
static int suspend_until(uint64_t blocked) {
  struct thread *self = thread_current();
  machine_changed_shared();
  uint64_t before = self->signals_blocked;
  siginfo_t info;
  int sig;
  do {
    sig = await(~blocked, &info, 0);
    self->signals_blocked = blocked;
    deliver(sig, &info);
    self->signals_blocked = before;
  } while (!signals_handled(sig));
  errno = EINTR;
  return -1;
}

int signals_suspend(const sigset_t *mask) {
  return suspend_until(bits_of(mask));
}

INTERPOSE int sigsuspend(const sigset_t *mask) {
  return CALLED_BY_PROGRAM() ? signals_suspend(mask) : REAL(sigsuspend)(mask);
}

INTERPOSE int pause(void) {
  return CALLED_BY_PROGRAM() ? suspend_until(thread_current()->signals_blocked) : REAL(pause)();
}
