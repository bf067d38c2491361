#include "access/protection.h"
#include "process/machine_state.h"
#include "process/world.h"
#include "thread/thread.h"

#define RANGES_MAX 256

/* They do not overlap.  World memory, with room only if there are any: the world is copied often. */
static struct range {
  int machine;
  bool readable;
  uintptr_t low, high;
} * ranges;
static uint32_t capacity;
uint32_t protection_ranges, protection_hidden;

static void include(void) {
  world_include(&ranges, sizeof ranges);
  world_include(&capacity, sizeof capacity);
  world_include(&protection_ranges, sizeof protection_ranges);
  world_include(&protection_hidden, sizeof protection_hidden);
}
WORLD_AT_SEAL(include)

static bool add(struct range r) {
  if (protection_ranges == RANGES_MAX)
    return false;
  WORLD_ROOM(ranges, protection_ranges, capacity);
  ranges[protection_ranges++] = r;
  protection_hidden += !r.readable;
  return true;
}

/* Take [low, high) out of the ranges of this machine. */
static bool take_out(int machine, uintptr_t low, uintptr_t high) {
  bool fits = true;
  for (uint32_t i = 0; i < protection_ranges;) {
    struct range r = ranges[i];
    if (r.machine != machine || r.high <= low || r.low >= high) {
      i++;
      continue;
    }
    ranges[i] = ranges[--protection_ranges];
    protection_hidden -= !r.readable;
    if (r.low < low)
      fits &= add((struct range){machine, r.readable, r.low, low});
    if (r.high > high)
      fits &= add((struct range){machine, r.readable, high, r.high});
  }
  return fits;
}

bool protection_set(uintptr_t address, size_t bytes, bool readable, bool writable) {
  int machine = thread_current()->machine;
  machine_changed_shared(); /* the list is one for all */
  return take_out(machine, address, address + bytes) &&
         (writable || add((struct range){machine, readable, address, address + bytes}));
}

void protection_clear(uintptr_t address, size_t bytes) {
  if (protection_ranges)
    take_out(thread_current()->machine, address, address + bytes);
}

bool protection_allows(uintptr_t address, bool write) {
  int machine = thread_current()->machine;
  for (uint32_t i = 0; i < protection_ranges; i++)
    if (address >= ranges[i].low && address < ranges[i].high && ranges[i].machine == machine)
      return !write && ranges[i].readable;
  return true;
}
