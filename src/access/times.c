#include "access/times.h"
#include "access/ordinary.h"
#include "access/unseen.h"
#include "base/hash.h"
#include "process/virtual_clock.h"
#include "process/world.h"

/* After so many looks of a thread at the clock each further one takes twice as long as the one before, up to
 * LOOKS_LONGEST times: so a loop that waits for time to pass ends soon. */
#define LOOKS_USUAL 16
#define LOOKS_LONGEST 24
/* After so many, which take some minutes together, it does not matter to a waiting loop any more what time it is: one
 * without a deadline would have no end. */
#define LOOKS_WAITED 64

struct told {
  uintptr_t address; /* 0: unused */
  uint64_t time;
};

/* Goes back with the program. */
static struct {
  struct told *table; /* hashed, open addressing; NULL: nobody has looked at the clock */
  uint32_t used, capacity;
} times;

static struct told *find(uintptr_t address) {
  for (uint64_t at = hash_u64(0, address);; at++) {
    struct told *x = &times.table[at & (times.capacity - 1)];
    if (!x->address || x->address == address)
      return x;
  }
}

static void grow(void) {
  struct told *old = times.table;
  uint32_t n = times.capacity;
  times.capacity = n ? n * 2 : 64;
  times.table = world_alloc(times.capacity * sizeof *times.table);
  for (uint32_t i = 0; i < n; i++)
    if (old[i].address)
      *find(old[i].address) = old[i];
}

void times_tell(uintptr_t address, uint64_t time) {
  if (!time || !address)
    return;
  if (times.used * 2 >= times.capacity)
    grow();
  struct told *x = find(address);
  times.used += !x->address;
  x->address = address;
  if (x->time < time)
    x->time = time;
}

void times_learn(uintptr_t address) {
  struct thread *self = thread_current();
  uint64_t time = times.table && address ? find(address)->time : 0;
  if (self->turn.time < time)
    self->turn.time = time;
}

void times_meet(uintptr_t address) {
  times_learn(address);
  times_tell(address, thread_current()->turn.time);
}

void times_woken(struct thread *t) {
  struct thread *self = fiber_current() ? thread_current() : NULL;
  if (self && t->turn.time < self->turn.time)
    t->turn.time = self->turn.time;
}

static uint64_t pass(uint64_t ns) {
  struct thread *self = thread_current();
  if (ns == CLOCK_LOOK) {
    uint32_t more = self->turn.looks > LOOKS_USUAL ? self->turn.looks - LOOKS_USUAL : 0;
    self->turn.looks++;
    ns <<= more < LOOKS_LONGEST ? more : LOOKS_LONGEST;
  }
  self->turn.time += ns;
  return clock_time() + self->turn.time;
}

void times_told(void) {
  if (ordinary_concerns() && thread_current()->turn.looks <= LOOKS_WAITED)
    unseen_changes();
}

void times_init(void) {
  world_include(&times, sizeof times);
  clock_of_thread = pass;
}
