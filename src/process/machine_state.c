#include "process/machine_state.h"
#include "base/check.h"
#include "process/fiber.h"
#include "process/heap.h"
#include "process/input.h"
#include "process/layout.h"
#include "process/track.h"
#include "process/world.h"
#include "process/world_internal.h"
#include <string.h>

#define RANGES_MAX 1024
#define PAGES_PER_CHUNK 16

/* Pages put aside; what is not in a machine's list is as sealed.  World memory. */
struct chunk {
  struct chunk *next;
  uintptr_t pages[PAGES_PER_CHUNK];
  size_t count;
  unsigned char bytes[PAGES_PER_CHUNK][LAYOUT_PAGE];
};

/* Goes back with the program. */
static struct {
  struct chunk *first;
  struct chunk *unused;
} machines[MACHINE_STATE_MAX];

uint64_t machine_shared_changes;

void machine_changed_shared(void) {
  if (fiber_current())
    machine_shared_changes++;
}

void machine_state_seal(void) {
  world_include(machines, sizeof machines);
  world_include(&machine_shared_changes, sizeof machine_shared_changes);
}

static void add_chunk_gaps(world_gap_list *gaps, const struct chunk *c, bool all, size_t used) {
  if (all) {
    world_add_gap(gaps, c, sizeof *c);
    return;
  }
  world_add_gap(gaps, &c->pages[used], (PAGES_PER_CHUNK - used) * sizeof c->pages[0]);
  if (!used)
    world_add_gap(gaps, &c->count, sizeof c->count);
  world_add_gap(gaps, c->bytes[used], (PAGES_PER_CHUNK - used) * LAYOUT_PAGE);
}

void machine_state_add_gaps(world_gap_list *gaps, uint32_t gone) {
  world_add_gap(gaps, &machine_shared_changes, sizeof machine_shared_changes);
  for (int m = 0; m < MACHINE_STATE_MAX; m++) {
    bool is_gone = m < 32 && gone >> m & 1;
    if (is_gone)
      world_add_gap(gaps, &machines[m], sizeof machines[m]);
    for (struct chunk *c = machines[m].unused; c; c = c->next)
      add_chunk_gaps(gaps, c, is_gone, 0);
    for (struct chunk *c = machines[m].first; c; c = c->next)
      add_chunk_gaps(gaps, c, is_gone, c->count);
  }
}

static void put_aside(int machine, uintptr_t page) {
  struct chunk *c = machines[machine].first;
  if (!c || c->count == PAGES_PER_CHUNK) {
    c = machines[machine].unused;
    if (c)
      machines[machine].unused = c->next;
    else
      c = world_alloc(sizeof *c);
    c->count = 0;
    c->next = machines[machine].first;
    machines[machine].first = c;
  }
  memcpy(c->bytes[c->count], (const void *)page, LAYOUT_PAGE);
  c->pages[c->count++] = page;
}

static void bring_back(int machine) {
  while (machines[machine].first) {
    struct chunk *c = machines[machine].first;
    for (size_t i = 0; i < c->count; i++)
      memcpy((void *)c->pages[i], c->bytes[i], LAYOUT_PAGE);
    machines[machine].first = c->next;
    c->next = machines[machine].unused;
    machines[machine].unused = c;
  }
}

void world_switch_machine(int from, int to) {
  static struct track_range dirty[RANGES_MAX];
  CHECK(!fiber_current(), "world_switch_machine outside the host");
  CHECK(from >= 0 && from < MACHINE_STATE_MAX && to >= 0 && to < MACHINE_STATE_MAX,
        "machines %d, %d", from, to);
  if (from == to)
    return;
  size_t n = world_shared_dirty(dirty, RANGES_MAX);
  for (size_t i = 0; i < n; i++)
    for (uintptr_t page = dirty[i].low; page < dirty[i].high; page += LAYOUT_PAGE) {
      put_aside(from, page);
      memcpy((void *)page, world_sealed_page(page), LAYOUT_PAGE);
    }
  bring_back(to);
  input_switch_machine(from, to);
  heap_select(to);
}
