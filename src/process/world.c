/* Every byte of the world is in one of: an area (pages; a sealed copy, then zeros), a stack slot
 * (pages; zeros when sealed), an included range (bytes).
 *
 * Going back writes the sealed bytes over every page that may differ from them: with tracking those
 * written since they were last protected, without it all in use.  Protecting again costs a fault
 * for each page used, so pages stay unprotected ("hot") and are copied back in each reset, until
 * REARM_RESETS resets have passed.  As long as no page was touched for the first time, which the
 * kernel counts as a fault, the pages are those found last time and nobody needs to look. */
#include "process/world.h"
#include "base/check.h"
#include "base/mem.h"
#include "process/files.h"
#include "process/gate.h"
#include "process/heap.h"
#include "process/image.h"
#include "process/image_internal.h"
#include "process/input.h"
#include "process/layout.h"
#include "process/machine_state.h"
#include "process/mapping.h"
#include "process/object.h"
#include "process/virtual_clock.h"
#include "process/world_internal.h"
#include "process/world_state.h"
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#define REARM_RESETS 64
#define REARM_FIRST 4 /* by then libraries have done what they do once */
#define REARM_PAGES_MIN 64
#define SMALL_AREA_BYTES (4 * LAYOUT_PAGE) /* cheaper to copy than to scan */
#define STACK_GAP_PAGES 8 /* without tracking: so many zero pages end the search for used ones */

struct world world;

/* Goes back with the program. */
static size_t state_used;

static size_t page_up(size_t n) {
  return (n + LAYOUT_PAGE - 1) & ~(LAYOUT_PAGE - 1);
}

void world_add_area(uintptr_t base, size_t bytes, const size_t *used) {
  CHECK(!world.sealed && world.area_count < WORLD_AREAS_MAX, "area added too late or too many");
  world.areas[world.area_count++] = (struct area){.base = base, .bytes = bytes, .used = used};
}

void world_track(uintptr_t low, uintptr_t high) {
  if (world.tracking && !track_add(low, high))
    world.tracking = false;
}

void world_move_area(uintptr_t from, uintptr_t to, bool first) {
  world.dirty_is_known = false;
  for (int i = 0; i < world.area_count; i++)
    if (world.areas[i].base == from) {
      CHECK(world.areas[i].sealed_bytes == 0, "moving an area that has contents");
      world.areas[i].base = to;
      if (first)
        world_track(to, to + world.areas[i].bytes);
      return;
    }
  CHECK(false, "no area at %lx", from);
}

void world_include(void *p, size_t bytes) {
  CHECK(!world.sealed, "world_include after world_seal");
  vec_push(&world.included, ((struct world_included){p, bytes}));
  world.included_bytes += bytes;
}

void *world_alloc(size_t bytes) {
  static bool mapped;
  if (!mapped) {
    void *p = mmap((void *)LAYOUT_STATE_BASE, LAYOUT_STATE_BYTES, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    REQUIRE(p == (void *)LAYOUT_STATE_BASE, "no address space for the runtime's state"
                                            " (ulimit -v, or vm.overcommit_memory)");
    madvise(p, LAYOUT_STATE_BYTES, MADV_NOHUGEPAGE);
    mapped = true;
    world_add_area(LAYOUT_STATE_BASE, LAYOUT_STATE_BYTES, &state_used);
    world_include(&state_used, sizeof state_used);
  }
  bytes = (bytes + 15) & ~(size_t)15;
  CHECK(bytes <= LAYOUT_STATE_BYTES - state_used, "runtime state is full");
  void *p = (void *)(LAYOUT_STATE_BASE + state_used);
  state_used += bytes;
  return p;
}

static uintptr_t area_end(const struct area *a) {
  return a->base + (a->used ? page_up(*a->used) : a->bytes);
}

static void add_object(void *context, const struct object *o) {
  (void)context;
  if (o->kind == OBJECT_LIBRARY)
    for (int i = 0; i < o->writable_count; i++) {
      world_add_area(o->writable[i].low, o->writable[i].high - o->writable[i].low, NULL);
      world.areas[world.area_count - 1].shared = !image_contains(o->low);
    }
}

static void track_used_slot(void *context, uintptr_t low, uintptr_t high, uintptr_t sp) {
  (void)sp;
  *(bool *)context &= track_add(low, high);
}

static bool track_everything(void) {
  if (!track_start())
    return false;
  for (int i = 0; i < world.area_count; i++)
    if (!track_add(world.areas[i].base, world.areas[i].base + world.areas[i].bytes))
      return false;
  bool stacks = true;
  fiber_each_slot(track_used_slot, &stacks);
  fiber_slot_made = world_track; /* guards between stacks are not followed: less to look at */
  if (!stacks)
    return false;
  for (int i = 0; i < world.area_count; i++)
    if (world.areas[i].bytes > SMALL_AREA_BYTES)
      track_protect(world.areas[i].base, world.areas[i].base + world.areas[i].sealed_bytes);
  return true;
}

void world_forget_tracking(void) {
  world.tracking = false;
}

void world_after_fork(void) {
  world.tracking = false;
  if (world.sealed)
    gate_enable();
}

void world_copy_included(unsigned char *to) {
  for (size_t i = 0; i < world.included.length; i++) {
    memcpy(to, world.included.data[i].p, world.included.data[i].bytes);
    to += world.included.data[i].bytes;
  }
}

void world_restore_included(const unsigned char *from) {
  for (size_t i = 0; i < world.included.length; i++) {
    memcpy(world.included.data[i].p, from, world.included.data[i].bytes);
    from += world.included.data[i].bytes;
  }
}

static void sort_areas(void) {
  for (int i = 1; i < world.area_count; i++)
    for (int k = i; k > 0 && world.areas[k].base < world.areas[k - 1].base; k--) {
      struct area a = world.areas[k];
      world.areas[k] = world.areas[k - 1];
      world.areas[k - 1] = a;
    }
}

#define PREPARE_MAX 32
static void (*prepare_at_seal[PREPARE_MAX])(void);
static int prepare_count;

void world_at_seal(void (*prepare)(void)) {
  CHECK(prepare_count < PREPARE_MAX, "too many modules prepare for world_seal");
  prepare_at_seal[prepare_count++] = prepare;
}

/* Whose areas are whose. */
static void find_machines(void) {
  for (int i = 0; i < world.area_count; i++) {
    struct area *a = &world.areas[i];
    a->machine = heap_machine(a->base);
    if (a->machine < 0 && !a->shared)
      a->machine = image_machine(a->base);
  }
}

bool world_page_is_zero(uintptr_t page) {
  const uint64_t *p = (const uint64_t *)page;
  for (size_t i = 0; i < LAYOUT_PAGE / 8; i += 4)
    if (p[i] | p[i + 1] | p[i + 2] | p[i + 3])
      return false;
  return true;
}

/* Variables without a value may be gigabytes: pages of zeros take no memory in the copy. */
static unsigned char *sealed_copy(uintptr_t base, size_t bytes) {
  unsigned char *copy = mem_alloc(bytes);
  for (size_t at = 0; at < bytes; at += LAYOUT_PAGE)
    if (!world_page_is_zero(base + at))
      memcpy(copy + at, (void *)(base + at), LAYOUT_PAGE);
  return copy;
}

void world_seal(void) {
  CHECK(!world.sealed, "world_seal called twice");
  world_alloc(0);
  heap_seal();
  files_seal();
  input_seal();
  clock_seal();
  for (int i = 0; i < prepare_count; i++)
    prepare_at_seal[i]();
  machine_state_seal();
  fiber_seal(); /* last: it takes libc's thread-local state as it is now */
  object_each(add_object, NULL);
  sort_areas();
  world.sealed = true;
  vec_reserve(&world.dirty, 1024);
  world.included_sealed = mem_alloc(world.included_bytes);
  world.included_now = mem_alloc(page_up(world.included_bytes));
  for (int i = 0; i < world.area_count; i++) {
    struct area *a = &world.areas[i];
    a->sealed_bytes = area_end(a) - a->base;
    a->sealed = sealed_copy(a->base, a->sealed_bytes);
  }
  find_machines();
  world_copy_included(world.included_sealed);
  world.tracking = track_everything();
  if (!gate_enable())
    input_want(); /* nobody will say when */
}

static void scan(uintptr_t low, uintptr_t high) {
  while (low < high) {
    vec_reserve(&world.dirty, world.dirty.length + 256);
    world.dirty.length += track_scan(low, high, world.dirty.data + world.dirty.length,
                                     world.dirty.capacity - world.dirty.length, &low);
  }
}

/* Without tracking.  context: non-NULL to look for dead frames below the stack pointer too. */
static void add_used_stack(void *context, uintptr_t low, uintptr_t high, uintptr_t sp) {
  uintptr_t used = high - LAYOUT_PAGE;
  if (sp && (sp < low || sp >= high)) /* the program switched stacks itself */
    used = low;
  else if (sp)
    used = (sp - 128) & ~(LAYOUT_PAGE - 1);
  if (context)
    for (uintptr_t p = used, gap = 0; p > low && gap < STACK_GAP_PAGES; gap++) {
      p -= LAYOUT_PAGE;
      if (!world_page_is_zero(p)) {
        used = p;
        gap = 0;
      }
    }
  vec_push(&world.dirty, ((struct track_range){used < low ? low : used, high}));
}

static void find_dirty_stacks(bool for_save) {
  if (!world.tracking) {
    fiber_each_slot(add_used_stack, for_save ? NULL : &world);
    return;
  }
  for (int class = 0; class < FIBER_CLASSES; class ++) {
    uintptr_t low, high;
    fiber_class_range(class, &low, &high);
    scan(low, high);
  }
}

static void find_dirty_area(const struct area *a) {
  uintptr_t end = area_end(a);
  if (world.tracking && end - a->base > SMALL_AREA_BYTES)
    scan(a->base, end);
  else if (end > a->base)
    vec_push(&world.dirty, ((struct track_range){a->base, end}));
}

/* A page costs one at its first write since it was protected: if there were none since a scan, its answer still holds. */
static long page_faults(void) {
  struct rusage usage;
  CHECK(getrusage(RUSAGE_THREAD, &usage) == 0, "getrusage: errno %d", errno);
  return usage.ru_minflt + usage.ru_majflt;
}

static uintptr_t stacks_end(int class) {
  uintptr_t low, high;
  fiber_class_range(class, &low, &high);
  return high;
}

/* No page was written that was not among the dirty ones, and no area is longer. */
static bool dirty_as_before(void) {
  if (!world.dirty_is_known || page_faults() != world.faults)
    return false;
  for (int class = 0; class < FIBER_CLASSES; class ++)
    if (stacks_end(class) > world.stacks_scanned[class])
      return false;
  for (int i = 0; i < world.area_count; i++)
    if (world.areas[i].used && area_end(&world.areas[i]) > world.areas[i].scanned)
      return false;
  return true;
}

bool world_find_dirty(bool for_save) {
  static world_range_list before; /* scratch */
  if (dirty_as_before())
    return false;
  before.length = 0;
  for (size_t i = 0; i < world.dirty.length; i++)
    vec_push(&before, world.dirty.data[i]);
  world.dirty.length = 0;
  bool stacks_done = false;
  for (int i = 0; i < world.area_count; i++) {
    if (world.areas[i].base > LAYOUT_STACK_BASE && !stacks_done) {
      find_dirty_stacks(for_save);
      stacks_done = true;
    }
    find_dirty_area(&world.areas[i]);
  }
  if (!stacks_done)
    find_dirty_stacks(for_save);
  for (int i = 0; i < world.area_count; i++)
    world.areas[i].scanned = area_end(&world.areas[i]);
  for (int class = 0; class < FIBER_CLASSES; class ++)
    world.stacks_scanned[class] = stacks_end(class);
  world.dirty_is_known = world.tracking;
  world.faults = world.tracking ? page_faults() : 0;
  world.dirty_version +=
      before.length != world.dirty.length ||
      memcmp(before.data, world.dirty.data, before.length * sizeof *before.data) != 0;
  return true;
}

/* Most questions are about ascending addresses: it begins where the last one ended. */
const struct area *world_area_of(uintptr_t address) {
  static int last;
  for (int i = 0; i < world.area_count; i++) {
    int n = last + i < world.area_count ? last + i : last + i - world.area_count;
    if (address - world.areas[n].base < world.areas[n].bytes) {
      last = n;
      return &world.areas[n];
    }
  }
  return NULL;
}

bool world_is_shared(const void *p) {
  const struct area *a = world_area_of((uintptr_t)p);
  return a && a->shared;
}

static void find_shared_dirty(void) {
  world_range_list all = world.dirty;
  world.dirty = world.shared_dirty;
  world.dirty.length = 0;
  for (int i = 0; i < world.area_count; i++)
    if (world.areas[i].shared)
      find_dirty_area(&world.areas[i]);
  world.shared_dirty = world.dirty;
  world.dirty = all;
  world.shared_is_known = world.tracking;
  world.shared_faults = world.tracking ? page_faults() : 0;
}

/* Libraries do not grow. */
size_t world_shared_dirty(struct track_range *out, size_t max) {
  if (!world.shared_is_known || page_faults() != world.shared_faults)
    find_shared_dirty();
  CHECK(world.shared_dirty.length <= max, "too many dirty parts of shared libraries");
  memcpy(out, world.shared_dirty.data, world.shared_dirty.length * sizeof *out);
  return world.shared_dirty.length;
}

const void *world_sealed_page(uintptr_t page) {
  const struct area *a = world_area_of(page);
  return a->sealed + (page - a->base);
}

/* Without tracking most pages are as they should be: writing to them would take memory, and in a forked
 * process a copy of each. */
static void write_pages(uintptr_t low, uintptr_t high, const unsigned char *sealed) {
  if (world.tracking) {
    memcpy((void *)low, sealed, high - low);
    return;
  }
  for (; low < high; low += LAYOUT_PAGE, sealed += LAYOUT_PAGE)
    if (memcmp((void *)low, sealed, LAYOUT_PAGE) != 0)
      memcpy((void *)low, sealed, LAYOUT_PAGE);
}

void world_write_sealed(uintptr_t low, uintptr_t high) {
  const struct area *a = world_area_of(low);
  uintptr_t sealed_end = a ? a->base + a->sealed_bytes : 0;
  if (low < sealed_end) {
    uintptr_t end = high < sealed_end ? high : sealed_end;
    write_pages(low, end, a->sealed + (low - a->base));
    low = end;
  }
  if (low < high)
    memset((void *)low, 0, high - low);
}

/* Every so often, so that pages one execution used are not copied for ever. */
static bool rearm(void) {
  size_t pages = 0;
  for (size_t i = 0; i < world.dirty.length; i++)
    pages += (world.dirty.data[i].high - world.dirty.data[i].low) / LAYOUT_PAGE;
  world.resets_since_armed++;
  bool first = !world.rearmed && world.resets_since_armed == REARM_FIRST;
  if (!first && (world.resets_since_armed < REARM_RESETS || pages < REARM_PAGES_MIN))
    return false;
  world.rearmed = true;
  world.resets_since_armed = 0;
  for (size_t i = 0; i < world.dirty.length; i++) {
    const struct area *a = world_area_of(world.dirty.data[i].low);
    if (!a || area_end(a) - a->base > SMALL_AREA_BYTES)
      track_protect(world.dirty.data[i].low, world.dirty.data[i].high);
  }
  return true;
}

void world_reset(void) {
  CHECK(world.sealed && !fiber_current(), "world_reset outside the host or before world_seal");
  mapping_reset();
  bool others = world_find_dirty(false);
  for (size_t i = 0; i < world.dirty.length; i++)
    world_write_sealed(world.dirty.data[i].low, world.dirty.data[i].high);
  world_restore_included(world.included_sealed);
  if (world.tracking)
    others |= rearm();
  if (world.dirty_is_known &&
      others) /* otherwise nothing here has touched a page for the first time */
    world.faults = page_faults();
  files_reset();
}
