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
#include "libc/signals.h"
#include "process/caller.h"
#include "process/fault.h"
#include "process/machine_state.h"
#include "process/stop.h"
#include "process/virtual_clock.h"
#include "process/world.h"
#include "thread/thread.h"
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define SIGNALS 65

/* Goes back with the program. */
struct signals {
  struct sigaction *action;    /* by signal, once there is one; world memory */
  uint64_t pending;            /* for the process, a bit for each signal */
  struct thread_queue waiting; /* for signals */
  uint64_t armed;              /* timers with these signals, which have not gone off */
  uint64_t noticed;            /* of these, what the program would notice */
  uint64_t alarm;              /* when it would go off, 0: never */
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

static void give_bits(sigset_t *set, uint64_t bits) {
  sigemptyset(set);
  for (int sig = 1; sig < SIGNALS; sig++)
    if (bits & bit_of(sig))
      sigaddset(set, sig);
}

static void enter(const void *object) {
  if (thread_count() < 2)
    return;
  if (!thread_at(object, NULL, OPERATION_LOCK_OTHER))
    thread_at_lock(object);
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

static bool handled(int sig) {
  struct sigaction a = action_of(sig);
  return a.sa_handler != SIG_DFL && a.sa_handler != SIG_IGN;
}

static void signals_seal(void) {
  world_include(of_machine, sizeof of_machine);
  fault_program_handles = handled;
}
WORLD_AT_SEAL(signals_seal)

static bool ignored_by_default(int sig) {
  return sig == SIGCHLD || sig == SIGURG || sig == SIGWINCH || sig == SIGCONT;
}

/* A timer whose signal only ends the process is there for runs that hang, which are findings of their own here: it never
 * goes off.  One that the program would notice does not either, as long as its time does not come; otherwise nothing can
 * be said (signals_doubt). */
static void notice_timers(void) {
  const int timers[] = {SIGALRM, SIGVTALRM, SIGPROF};
  for (int i = 0; i < 3; i++)
    if (own()->armed & bit_of(timers[i]) &&
        (handled(timers[i]) || thread_current()->signals_blocked & bit_of(timers[i])))
      own()->noticed |= bit_of(timers[i]);
  if (own()->noticed & ~bit_of(SIGALRM))
    stop_refuse("a timer of processor time (setitimer) with a handler");
}

/* Each thread has a clock, see access/times.h. */
static bool alarm_is_due(int machine) {
  const struct signals *s = &of_machine[machine];
  if (!(s->noticed & bit_of(SIGALRM)))
    return false;
  for (int i = 0; i < thread_count(); i++) {
    const struct thread *t = thread_by_id(i);
    if (t->machine == machine && clock_time() + t->turn.time >= s->alarm)
      return true;
  }
  return false;
}

bool signals_doubt(struct stop *why) {
  bool stuck = why->kind == STOP_DEADLOCK || why->kind == STOP_HANG, due = false;
  if (why->kind == STOP_KNOWN || why->kind == STOP_REFUSED || why->kind == STOP_ASSUME)
    return false;
  for (int m = 0; m < MACHINES_MAX; m++)
    due |= alarm_is_due(m) || (stuck && of_machine[m].noticed & bit_of(SIGALRM));
  if (!due)
    return false;
  struct str text = {0};
  str_append(
      &text,
      "a timer (alarm, setitimer) with a handler, whose time comes before the program ends, is not "
      "supported in a checked program");
  if (stuck)
    str_append(&text, why->kind == STOP_DEADLOCK ? "; without it every thread waits for ever"
                                                 : "; without it the program does not end");
  *why = (struct stop){.kind = STOP_REFUSED};
  stop_set_message(why, str_text(&text));
  str_free(&text);
  return true;
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
  if (own()->armed)
    notice_timers();
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

static void deliver(int sig) {
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
  siginfo_t info = {.si_signo = sig, .si_code = SI_TKILL};
  fiber_call((void *)a.sa_handler, sig, (long)&info, 0);
  self->signals_blocked = before;
}

static bool takes_by_waiting(const struct thread *t, int sig) {
  return t->state == THREAD_WAITING && t->signals_awaited & bit_of(sig);
}

static void wake(struct thread *t) {
  if (t->state == THREAD_WAITING && t->signals_awaited)
    thread_wake(t);
}

/* To a thread that is not the current one: it can be waiting for it, or have blocked it. */
static void send_to(struct thread *t, int sig) {
  if (takes_by_waiting(t, sig) || t->signals_blocked & bit_of(sig)) {
    t->signals_pending |= bit_of(sig);
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

int signals_raise(int sig) {
  machine_changed_shared();
  if (sig < 0 || sig >= SIGNALS) {
    errno = EINVAL;
    return -1;
  }
  struct thread *self = thread_current();
  if (sig && self->signals_blocked & bit_of(sig))
    self->signals_pending |= bit_of(sig);
  else if (sig)
    deliver(sig);
  return 0;
}

/* To any thread of the process that does not block it; of several, who waits for it, and then who sends it. */
static int send_to_process(int sig) {
  struct thread *self = thread_current(), *open = NULL;
  if (sig <= 0 || sig >= SIGNALS || thread_live() < 2)
    return signals_raise(sig);
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
      send_to(t, sig);
      return 0;
    }
  if (!(self->signals_blocked & bit_of(sig)))
    return signals_raise(sig);
  if (open)
    send_to(open, sig);
  else
    own()->pending |= bit_of(sig);
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

INTERPOSE int kill(pid_t pid, int sig) {
  if (!CALLED_BY_PROGRAM())
    return REAL(kill)(pid, sig);
  if (pid == 0 || pid == thread_pid())
    return send_to_process(sig);
  if (sig || pid < 0)
    stop_refuse("kill of another process");
  if (process_lives(pid))
    return 0;
  errno = ESRCH;
  return -1;
}

INTERPOSE int pthread_kill(pthread_t handle, int sig) {
  if (!fiber_current())
    return REAL(pthread_kill)(handle, sig);
  struct thread *t = thread_of_handle(handle);
  if (!t)
    return ESRCH;
  if (sig < 0 || sig >= SIGNALS)
    return EINVAL;
  if (t == thread_current())
    signals_raise(sig);
  else if (sig) {
    enter(t);
    enter(&arrivals);
    if (t->state != THREAD_DONE)
      send_to(t, sig);
  }
  return 0;
}

INTERPOSE int pthread_sigqueue(pthread_t handle, int sig, const union sigval value) {
  (void)handle, (void)sig, (void)value;
  stop_refuse("pthread_sigqueue");
}

/* ---- masks ---- */

static void deliver_unblocked(void) {
  struct thread *self = thread_current();
  for (int sig = 1; sig < SIGNALS; sig++) {
    uint64_t *from = self->signals_pending & bit_of(sig) ? &self->signals_pending : &own()->pending;
    if (*from & bit_of(sig) && !(self->signals_blocked & bit_of(sig))) {
      *from &= ~bit_of(sig);
      deliver(sig);
    }
  }
}

static int set_mask(int how, const sigset_t *set, sigset_t *old) {
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
    if (own()->armed)
      notice_timers();
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
  int failed = set_mask(how, set, old);
  if (failed)
    errno = failed;
  return failed ? -1 : 0;
}

INTERPOSE int pthread_sigmask(int how, const sigset_t *set, sigset_t *old) {
  return CALLED_BY_PROGRAM() ? set_mask(how, set, old) : REAL(pthread_sigmask)(how, set, old);
}

INTERPOSE int sigpending(sigset_t *set) {
  if (!CALLED_BY_PROGRAM())
    return REAL(sigpending)(set);
  enter(&arrivals);
  give_bits(set, own()->pending | thread_current()->signals_pending);
  return 0;
}

/* ---- waiting ---- */

/* One of these signals, which is taken; 0: none has come by then (0: never, 1: at once). */
static int await(uint64_t wanted, unsigned long deadline) {
  struct thread *self = thread_current();
  for (bool late = deadline == 1;;) {
    enter(&arrivals);
    uint64_t *from = self->signals_pending & wanted ? &self->signals_pending : &own()->pending;
    if (*from & wanted) {
      int sig = __builtin_ctzll(*from & wanted) + 1;
      *from &= ~bit_of(sig);
      return sig;
    }
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
  *sig = await(bits_of(set), 0);
  return 0;
}

static int await_info(const sigset_t *set, siginfo_t *info, unsigned long deadline) {
  machine_changed_shared();
  int sig = await(bits_of(set), deadline);
  if (!sig) {
    errno = EAGAIN;
    return -1;
  }
  if (info)
    *info = (siginfo_t){.si_signo = sig, .si_code = SI_USER};
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
static int suspend(uint64_t blocked) {
  struct thread *self = thread_current();
  machine_changed_shared();
  uint64_t before = self->signals_blocked;
  int sig;
  do {
    sig = await(~blocked, 0);
    self->signals_blocked = blocked;
    deliver(sig);
    self->signals_blocked = before;
  } while (!handled(sig));
  errno = EINTR;
  return -1;
}

INTERPOSE int sigsuspend(const sigset_t *mask) {
  return CALLED_BY_PROGRAM() ? suspend(bits_of(mask)) : REAL(sigsuspend)(mask);
}

INTERPOSE int pause(void) {
  return CALLED_BY_PROGRAM() ? suspend(thread_current()->signals_blocked) : REAL(pause)();
}

/* ---- timers ---- */

static void arm(int sig, bool on) {
  struct signals *s = own();
  if (sig == SIGALRM && alarm_is_due(thread_current()->machine))
    stop_refuse("a timer (alarm, setitimer) with a handler, whose time has come,");
  s->armed &= ~bit_of(sig);
  s->noticed &= ~bit_of(sig);
  if (!on)
    return;
  s->armed |= bit_of(sig);
  notice_timers();
  if (stop_remark)
    stop_remark("timers (alarm, setitimer) that are there to end the program do not go off");
}

/* What is left of the alarm, and the next one (0: none). */
static uint64_t set_alarm(uint64_t ns) {
  arm(SIGALRM, ns);
  uint64_t now = clock_look(), left = own()->alarm > now ? own()->alarm - now : 0;
  own()->alarm = ns ? now + ns : 0;
  return left;
}

INTERPOSE unsigned alarm(unsigned seconds) {
  if (!CALLED_BY_PROGRAM())
    return REAL(alarm)(seconds);
  return (unsigned)((set_alarm(seconds * CLOCK_SECOND) + CLOCK_SECOND - 1) / CLOCK_SECOND);
}

static uint64_t ns_of(const struct timeval *t) {
  return (uint64_t)t->tv_sec * CLOCK_SECOND + (uint64_t)t->tv_usec * 1000;
}

INTERPOSE int setitimer(__itimer_which_t which, const struct itimerval *new,
                        struct itimerval *old) {
  uint64_t left = 0;
  if (!CALLED_BY_PROGRAM())
    return REAL(setitimer)(which, new, old);
  if (which > ITIMER_PROF) {
    errno = EINVAL;
    return -1;
  }
  if (which == ITIMER_REAL)
    left = set_alarm(ns_of(&new->it_value));
  else
    arm(which == ITIMER_VIRTUAL ? SIGVTALRM : SIGPROF, ns_of(&new->it_value));
  if (old)
    *old = (struct itimerval){.it_value = {.tv_sec = (time_t)(left / CLOCK_SECOND),
                                           .tv_usec = (long)(left % CLOCK_SECOND / 1000)}};
  return 0;
}

/* A timer is created, but cannot be set.  Some programs only ask whether there are timers for a clock. */
INTERPOSE int timer_create(clockid_t clock, struct sigevent *event, timer_t *timer) {
  static char one;
  if (!CALLED_BY_PROGRAM())
    return REAL(timer_create)(clock, event, timer);
  *timer = &one;
  return 0;
}

INTERPOSE int timer_gettime(timer_t timer, struct itimerspec *left) {
  if (!CALLED_BY_PROGRAM())
    return REAL(timer_gettime)(timer, left);
  *left = (struct itimerspec){0};
  return 0;
}

INTERPOSE int timer_settime(timer_t timer, int flags, const struct itimerspec *new,
                            struct itimerspec *old) {
  if (!CALLED_BY_PROGRAM())
    return REAL(timer_settime)(timer, flags, new, old);
  if (new->it_value.tv_sec || new->it_value.tv_nsec)
    stop_refuse("timer_settime");
  if (old)
    *old = (struct itimerspec){0};
  return 0;
}

INTERPOSE int timer_delete(timer_t timer) {
  return CALLED_BY_PROGRAM() ? 0 : REAL(timer_delete)(timer);
}

/* The worker's signal stack stays in place. */
INTERPOSE int sigaltstack(const stack_t *new, stack_t *old) {
  if (!CALLED_BY_PROGRAM())
    return REAL(sigaltstack)(new, old);
  if (old)
    *old = (stack_t){.ss_flags = SS_DISABLE};
  return 0;
}
