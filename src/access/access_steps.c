/* How far the running execution has come, and whether it can come to an end: steps, turns, and loops in which every
 * thread waits (access_run). */
#include "access/access.h"
#include "access/access_internal.h"
#include "base/hash.h"
#include "base/str.h"
#include "door/door.h"
#include "process/fault.h"
#include "process/stop.h"
#include "process/unwind.h"
#include "thread/thread.h"
#include <limits.h>

/* So many times as many turns, for a program that keeps touching new memory. */
#define TURNS_FACTOR 5

/* From which number on, of at most `max` (0: any number), steps are watched for a hang. */
static uint64_t noticed(uint64_t max) {
  return max ? max - max / 8 : UINT64_MAX;
}

void access_begin_steps(void) {
  access_run.steps = access_run.turns = access_run.turns_elsewhere = 0;
  access_run.endless = 0;
  access_run.steps_noticed = noticed(access_run.options.steps_max);
  access_run.turns_noticed = noticed(access_run.options.turns_max);
  loop_clear(&access_run.loop);
}

static void add_sample(void) {
  uintptr_t pcs[STOP_FRAMES_MAX];
  int n = unwind_calls_quickly((uintptr_t)__builtin_frame_address(0), pcs, STOP_FRAMES_MAX);
  loop_add(&access_run.loop, access_acting_thread()->id, pcs, n, false);
}

/* Where is it, now and then in its last steps? */
static void sample_loop(uint64_t number, uint64_t max) {
  uint64_t stride = (max - noticed(max)) / LOOP_SAMPLES + 1;
  if (hash_u64(0, number) % stride == 0)
    add_sample();
}

static _Noreturn void stop_in_loop(struct stop *s) {
  if (s->kind == STOP_HANG)
    loop_find(&access_run.loop, s);
  stop_execution(s);
}

static _Noreturn void too_many(uint64_t max, const char *what, const struct abi_site *site) {
  bool may_be_long = access_run.options.may_be_long;
  struct stop s = {.kind = may_be_long ? STOP_LONG : STOP_HANG, .site = site};
  struct str text = {0};
  str_format(&text, "no end after %lu %s%s", (unsigned long)max, what,
             may_be_long ? "" : " (if it is only long, raise --max-steps)");
  stop_set_message(&s, str_text(&text));
  str_free(&text);
  stop_in_loop(&s);
}

/* So many steps show where it is: turns of all threads that wait. */
#define ENDLESS_STEPS 2048

void access_never_ends(void) {
  if (access_run.endless)
    return;
  access_run.endless = ENDLESS_STEPS;
  access_run.endless_thread = INT_MAX;
  access_run.steps_noticed = 0;
  loop_clear(&access_run.loop);
}

bool access_is_endless(void) {
  return access_run.endless > 0;
}

/* Of several threads that wait the first one is shown, wherever in their rounds that was noticed. */
static void step_in_endless_loop(const struct abi_site *site) {
  int thread = access_acting_thread()->id;
  if (thread < access_run.endless_thread) {
    access_run.endless_thread = thread;
    loop_clear(&access_run.loop);
  }
  if (--access_run.endless > 0) {
    if (thread == access_run.endless_thread && access_run.loop.next < LOOP_SAMPLES)
      add_sample();
    return;
  }
  struct stop s = {.kind = STOP_HANG, .site = site};
  stop_set_message(&s, "no end: every thread waits in a loop, and nothing changes any more");
  stop_in_loop(&s);
}

void access_step(const struct abi_site *site) {
  uint64_t max = access_run.options.steps_max;
  fault_progress++;
  if (++access_run.steps <= access_run.steps_noticed)
    return;
  if (access_run.endless) {
    step_in_endless_loop(site);
    return;
  }
  if (door->steps)
    door->steps(site);
  if (access_run.steps > max)
    too_many(max, "steps", site);
  if (access_run.steps > noticed(max))
    sample_loop(access_run.steps, max);
}

void access_look_after(uint64_t steps) {
  uint64_t last = noticed(access_run.options.steps_max);
  uint64_t until = access_run.steps + steps;
  if (!access_run.endless)
    access_run.steps_noticed = until < last ? until : last;
}

void access_turn(const struct abi_site *site, bool elsewhere) {
  uint64_t max = access_run.options.turns_max;
  if (elsewhere && access_run.turns_elsewhere < (TURNS_FACTOR - 1) * max) {
    if (access_run.turns > access_run.turns_noticed)
      loop_clear(&access_run.loop);
    access_run.turns_elsewhere += access_run.turns;
    access_run.turns = 0;
  }
  if (++access_run.turns <= access_run.turns_noticed)
    return;
  if (access_run.turns > max)
    too_many(access_run.turns_elsewhere + max, "steps that other threads could notice", site);
  sample_loop(access_run.turns, max);
}

uint64_t access_steps(void) {
  return access_run.steps;
}

bool access_can_mark(void) {
  return access_run.steps <= access_run.steps_noticed &&
         access_run.turns <= access_run.turns_noticed && !access_run.in_scope;
}

struct access_mark access_mark(void) {
  return (struct access_mark){access_run.steps, access_run.turns, access_run.turns_elsewhere};
}

void access_back(struct access_mark m) {
  access_run.steps = m.steps;
  access_run.turns = m.turns;
  access_run.turns_elsewhere = m.turns_elsewhere;
}

void access_set_steps(uint64_t steps) {
  loop_clear(&access_run.loop);
  access_run.steps = steps;
  access_run.endless = 0;
  access_run.steps_noticed = noticed(access_run.options.steps_max);
}
