#include "access/spin.h"
#include "access/access_internal.h"
#include "access/schedule.h"
#include "access/space.h"
#include "access/store_buffer.h"
#include "access/vain.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "door/door.h"
#include "process/program.h"
#include "process/share.h"
#include "process/world.h"
#include <stdlib.h>
#include <string.h>

/* So many loads of the same few addresses in a row, while nothing changes, may be a waiting loop. */
#define REPEATS 4

/* With traces, where vain.h finds waiting loops by comparing states, for which a loop must be gone round twice: so many
 * yields. */
#define TRACE_YIELDS 3

/* To be taken for waiting it must then go on alone for so many loads. */
#define ALONE_LOADS 256

static struct {
  bool again;    /* a loop has ended by itself: the execution starts again */
  uint64_t *end; /* a hash table of those that end by themselves; 0: free */
  size_t end_count, end_capacity;
  VEC(uint64_t) decided; /* loops that were decided about early, and what they are taken for */
} spins;

/* Does the current thread go on alone, to see whether it leaves its loop?  World memory. */
static struct {
  bool alone;
  bool early;                           /* the loop was suspected for the first time */
  uint32_t loads;                       /* since then */
  uint64_t stored;                      /* entries that its store buffer had seen by then */
  uint64_t where;                       /* a hash of the loop and of the execution up to there */
  uint64_t loop;                        /* a hash of the loop alone */
  uintptr_t looked[THREAD_SPIN_PERIOD]; /* addresses that it has looked at since it is alone */
  uint32_t places;                      /* how many of them there are */
  uint64_t first_place;                 /* of the first of them, and */
  bool came_back;                       /* it is part of the loop */
} trial;

static uint64_t *slot(uint64_t where) {
  size_t i = where;
  while (spins.end[i % spins.end_capacity] && spins.end[i % spins.end_capacity] != where)
    i++;
  return &spins.end[i % spins.end_capacity];
}

static bool known_to_end(uint64_t where) {
  return spins.end_capacity && *slot(where) == where;
}

static void note_end(uint64_t where) {
  if (spins.end_count * 2 >= spins.end_capacity) {
    uint64_t *old = spins.end;
    size_t count = spins.end_capacity;
    spins.end_capacity = count ? count * 2 : 64;
    spins.end = mem_alloc(spins.end_capacity * sizeof *spins.end);
    for (size_t i = 0; i < count; i++)
      if (old[i])
        *slot(old[i]) = old[i];
    mem_free_outgrown(old, count * sizeof *old);
  }
  *slot(where) = where;
  spins.end_count++;
}

static bool is_decided(uint64_t loop) {
  for (size_t i = 0; i < spins.decided.length; i++)
    if (spins.decided.data[i] == loop)
      return true;
  return false;
}

bool spin_add_gaps(world_gap_list *gaps) {
  if (trial.alone)
    return false;
  world_add_gap(gaps, &trial, sizeof trial);
  for (int i = 0; i < thread_count(); i++) {
    struct thread *t = thread_by_id(i);
    if (t->spin.waits && t->state == THREAD_READY)
      return false;
    world_add_gap(gaps, &t->spin, sizeof t->spin);
  }
  return true;
}

void spin_tell(struct str *out) {
  for (size_t i = 0; i < spins.decided.length; i++)
    str_format(out, "%lx,", (unsigned long)spins.decided.data[i]);
}

void spin_hear(const char *text) {
  spins.decided.length = 0;
  for (char *end; *text; text = *end ? end + 1 : end)
    vec_push(&spins.decided, strtoull(text, &end, 16));
}

static uint64_t stores_of(const struct thread *t) {
  return t->store_buffer ? t->store_buffer->numbers : 0;
}

void spin_begin(void) {
  trial.alone = false;
  spins.again = false;
}

/* What a loop is taken for early on is decided when it is first suspected, once and for all: a path
 * that is followed again must find the same. */
static uint64_t waits_at(uint64_t loop) {
  return hash_u64(loop, 1) | 1;
}

static void ends_by_itself(void) {
  note_end(trial.where);
  if (!is_decided(trial.loop) && !is_decided(waits_at(trial.loop)))
    vec_push(&spins.decided, trial.loop);
  trial.alone = false;
  spins.again = true;
}

bool spin_ended(void) {
  if (trial.alone)
    ends_by_itself();
  return spins.again;
}

void spin_leave(void) {
  if (schedule.traces && fiber_current())
    vain_leave();
  if (!trial.alone)
    return;
  ends_by_itself();
  stop_with(STOP_KNOWN, NULL, "a loop that ends by itself");
}

void spin_blocks(void) {
  trial.alone = false;
  thread_current()->spin = (struct thread_spin){0};
}

bool spin_is_alone(void) {
  return trial.alone;
}

static bool looked_there(const struct thread_spin *s, uintptr_t address);

void spin_stored(uintptr_t address, int size, uint64_t value) {
  uint64_t old = 0;
  if (size) {
    memcpy(&old, space_alias(address), (size_t)size);
    if (memcmp(&old, &value, (size_t)size) == 0)
      return; /* nobody can tell */
  } else {
    address = thread_current()->next.address;
    size = (int)thread_current()->next.size;
  }
  if (schedule.traces)
    vain_changed(address, (size_t)size, access_doing.draining ? access_doing.drained : NULL);
  for (int i = 0; i < thread_count(); i++) {
    struct thread_spin *s = &thread_by_id(i)->spin;
    bool concerned = false;
    for (uintptr_t at = address & ~(uintptr_t)7; at < address + (uintptr_t)size && !concerned; at++)
      concerned = looked_there(s, at);
    bool woken = concerned && s->waits;
    if (concerned)
      *s = (struct thread_spin){0};
    if (woken)
      thread_strategy.woken(thread_by_id(i));
  }
}

void spin_changed(void) {
  spin_leave();
  if (schedule.traces)
    return;
  for (int i = 0; i < thread_count(); i++)
    thread_by_id(i)->spin = (struct thread_spin){0};
}

void spin_machine_failed(void) {
  trial.alone = false;
  for (int i = 0; i < thread_count(); i++)
    thread_by_id(i)->spin = (struct thread_spin){0};
}

#define PLACE_FRAMES 8

static uint64_t place(uint64_t h) {
  struct event_frames frames;
  program_frames(&frames);
  for (int i = 0; i < frames.count && i < PLACE_FRAMES; i++)
    h = hash_u64(h, frames.code[i]);
  return hash_u64(h, (uint64_t)thread_current()->id) | 1;
}

/* The thread seems to wait: let it go on alone.  early: it is suspected for the first time, which is enough unless that
 * was wrong before. */
static void try_alone(struct thread *self, bool early) {
  uint64_t where = place(door->where()), loop = place(0);
  if (early && is_decided(loop))
    return;
  self->spin.yields = 0;
  memset(self->spin.repeats, 0, sizeof self->spin.repeats);
  if (known_to_end(where))
    return;
  trial.alone = true;
  trial.early = early;
  trial.loads = trial.places = 0;
  trial.came_back = false;
  trial.loop = loop;
  trial.where = where;
  trial.stored = stores_of(self);
}

static bool looked_there(const struct thread_spin *s, uintptr_t address) {
  for (uint32_t i = 0; i < THREAD_SPIN_PERIOD && i < s->loads; i++)
    if (s->looked[i] == address)
      return true;
  return false;
}

static void note_place(uintptr_t address) {
  for (uint32_t i = 0; i < trial.places; i++)
    if (trial.looked[i] == address)
      return;
  if (trial.places < THREAD_SPIN_PERIOD)
    trial.looked[trial.places++] = address;
}

/* The thread waits from now on, for a change of what it looks at in the loop. */
static void wait_for_change(struct thread_spin *s) {
  s->waits = true;
  if (!schedule.traces)
    return;
  vain_leave(); /* looks that it made alone were no operations */
  if (!is_decided(trial.loop) && !is_decided(waits_at(trial.loop)))
    vec_push(&spins.decided, waits_at(trial.loop));
  s->loads = trial.places;
  memcpy(s->looked, trial.looked, sizeof s->looked);
}

static void note_turn(void) {
  uint64_t here = place(0);
  if (trial.loads == 0)
    trial.first_place = here;
  else
    trial.came_back |= here == trial.first_place;
}

static bool look_alone(struct thread *self, const struct operation *o) {
  if (!looked_there(&self->spin, o->address) || stores_of(self) != trial.stored)
    spin_leave();
  note_place(o->address);
  if (schedule.traces)
    note_turn();
  if (++trial.loads < ALONE_LOADS)
    return true;
  if (schedule.traces && !trial.came_back) /* the first one was not part of the loop */
    spin_leave();
  trial.alone = false;
  wait_for_change(&self->spin);
  return false;
}

static bool repeats(struct thread_spin *s, uintptr_t address) {
  bool found = false;
  for (uint32_t p = 0; p < THREAD_SPIN_PERIOD; p++) {
    bool same = s->loads > p && s->looked[(s->loads - 1 - p) % THREAD_SPIN_PERIOD] == address;
    s->repeats[p] = same ? s->repeats[p] + 1 : 0;
    found |= s->repeats[p] >= REPEATS * (p + 1);
  }
  return found;
}

/* Traces: is there no other thread for which it could wait? */
static bool has_nobody(void) {
  return schedule.traces && thread_count() == 1;
}

bool spin_look(const struct operation *o) {
  struct thread *self = thread_current();
  struct thread_spin *s = &self->spin;
  if (has_nobody())
    return false;
  if (trial.alone)
    return look_alone(self, o);
  if (s->waits)
    return false;
  if (s->stored != stores_of(self))
    *s = (struct thread_spin){.stored = stores_of(self)};
  bool again = repeats(s, o->address);
  s->looked[s->loads++ % THREAD_SPIN_PERIOD] = o->address;
  bool twice = schedule.traces && o->kind == OPERATION_READ && s->repeats[0] > 0;
  if (again || twice)
    try_alone(self, !again);
  if (trial.alone && schedule.traces) /* it counts */
    return look_alone(self, o);
  return trial.alone;
}

/* vain.h has found by comparing that the loop waits, which leaves less to explore: it is not suspected early any
 * more. */
bool spin_in_vain(void) {
  struct thread *self = thread_current();
  if (!trial.alone)
    return false;
  if (trial.early && !is_decided(trial.loop) && !is_decided(waits_at(trial.loop))) {
    vec_push(&spins.decided, trial.loop);
    trial.alone = false;
    spins.again = true;
    stop_with(STOP_KNOWN, NULL, "a loop that comes back to where it was");
  }
  self->turn.waits = self->turn.late = false;
  return look_alone(self, &self->next);
}

/* A loop that yields and looks at few places is recognised sooner. */
void spin_yield(void) {
  struct thread_spin *s = &thread_current()->spin;
  uint32_t loads = s->loads - s->loads_at_yield;
  if (has_nobody() || trial.alone || s->waits || loads == 0)
    return;
  uint32_t patience = schedule.traces ? TRACE_YIELDS : 1;
  bool again = s->yields++ >= patience && loads <= THREAD_SPIN_PERIOD;
  bool once = schedule.traces && schedule_concerns_others() && loads <= THREAD_SPIN_PERIOD;
  s->loads_at_yield = s->loads;
  if (again || once)
    try_alone(thread_current(), !again);
}

void spin_share(void) {
  share_register(&spins, sizeof spins);
  share_register(&trial, sizeof trial);
}

static void include_trial(void) {
  world_include(&trial, sizeof trial);
}
WORLD_AT_SEAL(include_trial)
