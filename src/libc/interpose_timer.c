/* Timers.  One whose signal only ends the process is there for runs that hang, which are findings of their own here: it
 * does not go off.  One that the program would notice does not either, as long as its time does not come; otherwise
 * nothing can be said (signals_doubt). */
#include "base/str.h"
#include "libc/signals.h"
#include "process/caller.h"
#include "process/stop.h"
#include "process/virtual_clock.h"
#include "process/world.h"
#include "thread/thread.h"
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const int signals[] = {SIGALRM, SIGVTALRM, SIGPROF}; /* by which timer */

/* Goes back with the program. */
struct timers {
  bool armed[3];   /* by which timer */
  bool noticed[3]; /* and the program would notice that its time has come */
  uint64_t alarm;  /* when SIGALRM would come; 0: never */
};
static struct timers of_machine[MACHINES_MAX];

static void timers_seal(void) {
  world_include(of_machine, sizeof of_machine);
}
WORLD_AT_SEAL(timers_seal)

static struct timers *own(void) {
  return &of_machine[fiber_current() ? thread_current()->machine : 0];
}

void timers_note_handlers(void) {
  struct timers *x = own();
  for (int i = 0; i < 3; i++) {
    uint64_t bit = (uint64_t)1 << (signals[i] - 1);
    x->noticed[i] |= x->armed[i] && (signals_handled(signals[i]) ||
                                     (fiber_current() && thread_current()->signals_blocked & bit));
  }
  if (x->noticed[ITIMER_VIRTUAL] || x->noticed[ITIMER_PROF])
    stop_refuse("a timer of processor time (setitimer) with a handler");
}

/* Each thread has a clock, see access/times.h. */
static bool alarm_is_due(int machine) {
  const struct timers *x = &of_machine[machine];
  for (int i = 0; x->noticed[ITIMER_REAL] && i < thread_count(); i++) {
    const struct thread *t = thread_by_id(i);
    if (t->machine == machine && clock_time() + t->turn.time >= x->alarm)
      return true;
  }
  return false;
}

bool signals_doubt(struct stop *why) {
  bool stuck = why->kind == STOP_DEADLOCK || why->kind == STOP_HANG, due = false;
  if (why->kind == STOP_KNOWN || why->kind == STOP_REFUSED || why->kind == STOP_ASSUME)
    return false;
  for (int m = 0; m < MACHINES_MAX; m++)
    due |= alarm_is_due(m) || (stuck && of_machine[m].noticed[ITIMER_REAL]);
  if (!due)
    return false;
  const char *otherwise = why->kind == STOP_DEADLOCK ? "; without it every thread waits for ever"
                          : stuck                    ? "; without it the program does not end"
                                                     : "";
  struct str text = {0};
  str_format(
      &text,
      "a timer (alarm, setitimer) with a handler, whose time comes before the program ends, is not "
      "supported in a checked program%s",
      otherwise);
  *why = (struct stop){.kind = STOP_REFUSED};
  stop_set_message(why, str_text(&text));
  str_free(&text);
  return true;
}

static void arm(__itimer_which_t which, bool on) {
  struct timers *x = own();
  if (which == ITIMER_REAL && fiber_current() && alarm_is_due(thread_current()->machine))
    stop_refuse("a timer (alarm, setitimer) with a handler, whose time has come,");
  x->armed[which] = on;
  x->noticed[which] = false;
  if (!on)
    return;
  timers_note_handlers();
  if (stop_remark)
    stop_remark("timers (alarm, setitimer) that are there to end the program do not go off");
}

/* What is left of the alarm, and the next one (0: none). */
static uint64_t set_alarm(uint64_t ns) {
  arm(ITIMER_REAL, ns);
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
    arm(which, ns_of(&new->it_value));
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
