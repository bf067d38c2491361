#include "process/virtual_clock.h"
#include "base/hash.h"
#include "base/rng.h"
#include "process/fiber.h"
#include "process/machine_state.h"
#include "process/world.h"
#include <stdbool.h>

/* Goes back with the program. */
static struct {
  uint64_t now; /* ns since the execution began */
  struct rng random;
} virtual;

void clock_seal(void) {
  virtual.random.state = 0x7469646d61726b;
  world_include(&virtual, sizeof virtual);
}

uint64_t (*clock_of_thread)(uint64_t ns);

static uint64_t pass(uint64_t ns) {
  if (clock_of_thread && fiber_current())
    return clock_of_thread(ns);
  return virtual.now += ns;
}

uint64_t clock_look(void) {
  return pass(CLOCK_LOOK);
}

uint64_t clock_look_common(void) {
  return virtual.now += CLOCK_LOOK;
}

void clock_pass(uint64_t ns) {
  pass(ns);
}

uint64_t clock_time(void) {
  return virtual.now;
}

uint64_t clock_state(void) {
  return hash_u64(virtual.now, virtual.random.state);
}

void clock_advance(uint64_t ns) {
  virtual.now += ns;
}

uint64_t (*clock_random_of_thread)(void);

uint64_t clock_random(void) {
  if (clock_random_of_thread && fiber_current())
    return clock_random_of_thread();
  machine_changed_shared();
  return rng_next(&virtual.random);
}

static bool is_wall_clock(clockid_t id) {
  return id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE || id == CLOCK_TAI ||
         id == CLOCK_REALTIME_ALARM;
}

uint64_t clock_read(clockid_t id) {
  return clock_look() + (is_wall_clock(id) ? CLOCK_EPOCH : CLOCK_SECOND);
}

void (*clock_on_pause)(uint64_t ns);

void clock_pause(uint64_t ns) {
  clock_advance(ns);
  if (clock_on_pause && fiber_current())
    clock_on_pause(ns);
}
