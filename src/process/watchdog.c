#include "process/watchdog.h"
#include "base/hash.h"
#include "process/caller.h"
#include "process/fault.h"
#include "process/fault_internal.h"
#include "process/fiber.h"
#include "process/image.h"
#include "process/layout.h"
#include "process/loop.h"
#include "process/share.h"
#include "process/stop.h"
#include "process/system_call.h"
#include "process/unwind.h"
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>

#define TICKS_PER_SECOND 100 /* of CPU time */
#define USUAL_FACTOR 100     /* so many times the longest execution is too long */
#define TOTAL_TICKS_MIN 200  /* for one that goes on doing operations */
#define REPEAT_FACTOR 10     /* ... in a loop that did not end before */
#define LOOK_AFTER_TICKS 3
#define PLACES 64
#define LOOPS_MAX 16
#define REAL_TICKS 4 /* timer interrupts in the period of real time */

/* Real time passes for a busy program too, the slower the more others use the machine. */
#define BUSY_FACTOR 4

/* Where a tick found the program: in its own code, and who called that. */
struct place {
  uintptr_t code;   /* the instruction, or the call from which it has not returned; 0: not known */
  uint64_t callers; /* a hash */
  bool may_stop;
  int own; /* index of that frame */
  int count;
  uintptr_t frames[STOP_FRAMES_MAX];
};

/* A loop that did not end. */
struct loop {
  uintptr_t low, high; /* places in it */
  uint64_t callers;
  struct stop why;
};

/* What is known from the executions so far. */
static struct {
  double seconds, real_seconds;
  bool adapts, any_ended;
  int longest; /* ticks of the longest execution that ended */
  int loop_count;
  struct loop loops[LOOPS_MAX];
} known;

bool (*watchdog_others)(void);
bool (*watchdog_unfair)(void);
bool (*watchdog_not_at)(uintptr_t pc);

/* The running execution. */
static struct {
  uint64_t progress;
  int ticks, quiet; /* since it began, since its last operation */
  int in_loop;      /* ticks in a row in the loop below */
  const struct loop *loop;
  struct {
    uintptr_t code;
    uint64_t callers;
  } places[PLACES]; /* the last ones, by ticks */
  uint64_t real_progress;
  int real_ticks;
  uint64_t cpu_seen_ns, idle_ns; /* less CPU time than idle_ns in a real tick: blocked */
} run;

static struct loop_samples samples; /* of the running execution */

/* ---- how long is too long ---- */

static int usual_ticks(int factor) {
  return factor * (known.longest + 1);
}

static int ticks_of(double seconds) {
  return (int)(seconds * TICKS_PER_SECOND);
}

static int quiet_limit(void) {
  int most = ticks_of(known.seconds), usual = usual_ticks(USUAL_FACTOR);
  return known.adapts && known.any_ended && usual < most ? usual : most;
}

static bool is_too_long(void) {
  int usual = usual_ticks(USUAL_FACTOR);
  return known.adapts && known.any_ended &&
         run.ticks >= (usual > TOTAL_TICKS_MIN ? usual : TOTAL_TICKS_MIN);
}

static int repeat_limit(void) {
  int usual = usual_ticks(REPEAT_FACTOR), tenth = ticks_of(known.seconds) / REPEAT_FACTOR;
  return !known.adapts && tenth > usual ? tenth : usual;
}

/* ---- where it is ---- */

/* Our own code must come to its end, because its data stays; what libc does for the program goes
 * back with it.  Callers of the program are ours, too. */
static bool may_stop(const struct place *p) {
  for (int i = 0; i < p->count; i++) {
    uintptr_t pc = p->frames[i] - (i > 0);
    if (image_contains(pc))
      return true;
    if (!caller_in_worker(pc))
      continue;
    for (int k = i + 1; k < p->count; k++)
      if (!caller_in_worker(p->frames[k] - 1))
        return false;
    return i > 0;
  }
  return true;
}

static void find_place(const ucontext_t *u, struct place *p) {
  p->count = unwind_interrupted(u, p->frames, STOP_FRAMES_MAX);
  p->code = 0;
  p->callers = 0;
  p->own = 0;
  for (int i = 0; i < p->count; i++) {
    uintptr_t pc = p->frames[i] - (i > 0);
    if (!image_is_own_code(pc))
      continue;
    if (p->code) {
      p->callers = hash_u64(p->callers, pc);
    } else {
      p->code = pc;
      p->own = i;
    }
  }
  p->may_stop = may_stop(p);
}

static const struct loop *find_loop(const struct place *p) {
  for (int i = 0; p->code && i < known.loop_count; i++)
    if (known.loops[i].callers == p->callers && p->code >= known.loops[i].low &&
        p->code <= known.loops[i].high)
      return &known.loops[i];
  return NULL;
}

/* The part of the program in which the last ticks found it. */
static void surround(const struct place *p, uintptr_t *low, uintptr_t *high) {
  *low = *high = p->code;
  for (int i = 0; i < PLACES; i++) {
    uintptr_t code = run.places[i].code;
    if (run.places[i].callers != p->callers || !code)
      continue;
    *low = code < *low ? code : *low;
    *high = code > *high ? code : *high;
  }
}

/* ---- stopping ---- */

/* An execution that is in our code is stopped when it comes back to its own: that page cannot be
 * executed until then. */
static struct {
  uintptr_t page; /* 0: there is none */
  struct stop why;
} trap;

static void set_trap(uintptr_t code, const struct stop *why) {
  trap.page = code & ~(uintptr_t)(LAYOUT_PAGE - 1);
  trap.why = *why;
  if (system_call(SYS_mprotect, trap.page, LAYOUT_PAGE, PROT_READ) != 0)
    trap.page = 0; /* a later tick may find it elsewhere */
}

static void clear_trap(void) {
  if (trap.page)
    system_call(SYS_mprotect, trap.page, LAYOUT_PAGE, PROT_READ | PROT_EXEC);
  trap.page = 0;
}

bool watchdog_will_stop(void) {
  return trap.page != 0;
}

bool watchdog_trapped(ucontext_t *u) {
  uintptr_t pc = (uintptr_t)u->uc_mcontext.gregs[REG_RIP];
  if (!trap.page || pc - trap.page >= LAYOUT_PAGE)
    return false;
  clear_trap();
  fault_stop(&trap.why, u);
  return true;
}

/* Where others could go on instead nobody knows whether it would have an end. */
static void stop(const struct place *p, const struct stop *why, ucontext_t *u) {
  static struct stop copy;
  copy = *why;
  if (run.quiet < quiet_limit() && watchdog_unfair && watchdog_unfair()) {
    copy.kind = STOP_LONG;
    stop_set_message(&copy, "a thread went on for long although others could have");
  }
  if (p->may_stop)
    fault_stop(&copy, u);
  else if (p->code)
    set_trap(p->code, &copy);
}

static void stop_new(const struct place *p, const char *message, ucontext_t *u) {
  static struct loop l;
  memset(&l, 0, sizeof l);
  l.why.kind = STOP_HANG;
  stop_set_message(&l.why, message);
  if (p->code) {
    l.callers = p->callers;
    surround(p, &l.low, &l.high);
    loop_find(&samples, &l.why);
    if (known.loop_count < LOOPS_MAX)
      known.loops[known.loop_count++] = l;
  }
  stop(p, &l.why, u);
}

/* ---- ticks ---- */

static void on_cpu_tick(ucontext_t *u) {
  run.ticks++;
  run.quiet = fault_progress == run.progress ? run.quiet + 1 : 0;
  run.progress = fault_progress;
  if (run.ticks <= LOOK_AFTER_TICKS)
    return;
  static struct place p;
  find_place(u, &p);
  run.places[run.ticks % PLACES].code = p.code;
  run.places[run.ticks % PLACES].callers = p.callers;
  loop_add(&samples, 0, p.frames, p.count, true);
  const struct loop *loop = find_loop(&p);
  if (p.code) {
    run.in_loop = loop && loop == run.loop ? run.in_loop + 1 : 0;
    run.loop = loop;
  }
  if (trap.page)
    return; /* soon */
  if (loop && run.in_loop >= repeat_limit())
    stop(&p, &loop->why, u);
  else if (run.quiet >= quiet_limit())
    stop_new(&p,
             "endless loop: no operation on watched memory for too long (if it only takes long, "
             "set --hang-seconds)",
             u);
  else if (is_too_long())
    stop_new(&p,
             "no end after much more time than executions took so far (if it only takes long, set "
             "--hang-seconds)",
             u);
}

/* In a system call that we make for the program, or about to restart it. */
static bool in_system_call(const ucontext_t *u) {
  static const unsigned char instruction[] = {0x0f, 0x05};
  uintptr_t pc = (uintptr_t)u->uc_mcontext.gregs[REG_RIP];
  return !memcmp((const void *)(pc - 2), instruction, 2) ||
         !memcmp((const void *)pc, instruction, 2);
}

static bool is_idle(void) {
  struct timespec t;
  system_call(SYS_clock_gettime, CLOCK_PROCESS_CPUTIME_ID, &t);
  uint64_t now = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
  bool idle = now - run.cpu_seen_ns < run.idle_ns;
  run.cpu_seen_ns = now;
  return idle;
}

static void on_real_tick(ucontext_t *u) {
  bool idle = is_idle();
  if (fault_progress != run.real_progress) {
    run.real_progress = fault_progress;
    run.real_ticks = 0;
    return;
  }
  run.real_ticks += idle ? BUSY_FACTOR : 1;
  static struct place p;
  if (run.real_ticks < BUSY_FACTOR * REAL_TICKS)
    return;
  find_place(u, &p);
  if (!in_system_call(u) || !(p.may_stop || idle))
    return; /* it computes, if it gets the time for it */
  static struct stop s;
  memset(&s, 0, sizeof s);
  bool others = watchdog_others && watchdog_others(); /* and perhaps end the wait */
  s.kind = others ? STOP_REFUSED : STOP_HANG;
  stop_set_message(
      &s, others ? "a system call that waits, perhaps for another thread, is not supported "
                   "in a checked program"
                 : "blocked: a system call does not return");
  known.real_seconds = known.seconds / REPEAT_FACTOR; /* it will not return the next time either */
  watchdog_arm();
  fault_stop(&s, u);
}

static void on_tick(int sig, siginfo_t *info, void *context) {
  (void)info;
  const ucontext_t *u = context;
  if (watchdog_not_at && watchdog_not_at((uintptr_t)u->uc_mcontext.gregs[REG_RIP]))
    return;
  if (!fiber_current())
    run.real_ticks = 0;
  else if (sig == SIGPROF)
    on_cpu_tick(context);
  else
    on_real_tick(context);
}

static void arm(int which, double seconds) {
  struct itimerval t = {0};
  t.it_interval.tv_sec = (time_t)seconds;
  t.it_interval.tv_usec = (suseconds_t)((seconds - (double)t.it_interval.tv_sec) * 1e6);
  t.it_value = t.it_interval;
  system_call(SYS_setitimer, which, &t, 0);
}

void watchdog_arm(void) {
  run.idle_ns = (uint64_t)(known.real_seconds / REAL_TICKS * 1e7); /* a hundredth */
  run.real_ticks = 0;
  arm(ITIMER_PROF, 1.0 / TICKS_PER_SECOND);
  arm(ITIMER_REAL, known.real_seconds / REAL_TICKS);
}

void watchdog_start(double seconds, bool adapts) {
  known.seconds = known.real_seconds = seconds;
  known.adapts = adapts;
  fault_on_tick(on_tick);
  watchdog_arm();
}

void watchdog_begin(void) {
  clear_trap();
  if (run.ticks > LOOK_AFTER_TICKS)
    memset(run.places, 0, sizeof run.places);
  loop_clear(&samples);
  run.ticks = run.quiet = run.in_loop = run.real_ticks = 0;
  run.loop = NULL;
}

void watchdog_end(void) {
  known.any_ended = true;
  if (run.ticks > known.longest)
    known.longest = run.ticks;
}

void watchdog_share(void) {
  share_register(&known, sizeof known);
}
