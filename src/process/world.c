/* Every byte of the world is in one of: an area (pages; a sealed copy, then zeros), a stack slot
 * (pages; zeros when sealed), an included range (bytes).
 *
 * Going back writes the sealed bytes over every page that may differ from them: with tracking those
 * written since they were last protected, without it all in use.  Protecting again costs a fault
 * for each page used, so pages stay unprotected ("hot") and are copied back in each reset, until
 * REARM_RESETS resets have passed.  As long as no page was touched for the first time, which the
 * kernel counts as a fault, the pages are those found last time and nobody needs to look.  A checkpoint holds the pages that may differ at that moment,
 * sharing copies with the one before (frame.h); any other page is as sealed. */
#include "process/world.h"
#include "base/check.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "process/fiber_internal.h"
#include "process/files.h"
#include "process/frame.h"
#include "process/gate.h"
#include "process/heap.h"
#include "process/image.h"
#include "process/image_internal.h"
#include "process/input.h"
#include "process/layout.h"
#include "process/machine_state.h"
#include "process/mapping.h"
#include "process/object.h"
#include "process/page_map.h"
#include "process/track.h"
#include "process/virtual_clock.h"
#include "process/world_internal.h"
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#define AREAS_MAX 256
#define REARM_RESETS 64
#define REARM_PAGES_MIN 64
#define SMALL_AREA_BYTES (4 * LAYOUT_PAGE) /* cheaper to copy than to scan */
#define REST_PAGES 256
#define REST_GAPS 16      /* of a page; those with more are not kept */
#define STACK_GAP_PAGES 8 /* without tracking: so many zero pages end the search for used ones */

struct area {
  uintptr_t base;
  size_t bytes;
  const size_t *used;
  unsigned char *sealed;
  size_t sealed_bytes;
  uintptr_t scanned; /* its end when dirty pages were last looked for */
  bool shared;       /* a library that machines share */
  int machine;       /* whose it is; -1: of all */
  frame_id *frames;  /* of the sealed pages, as far as somebody has asked; 0: not yet */
};

typedef VEC(struct track_range) range_list; /* ascending */

struct included {
  void *p;
  size_t bytes;
};

struct held_page {
  uintptr_t address;
  frame_id frame;
};

/* Of a page with these gaps, each as its first byte and the one behind its last: what is left of it. */
struct rest {
  struct held_page page;
  frame_id rest;
  uint32_t gap_count;
  uint16_t gaps[2 * REST_GAPS];
};

struct world_snapshot {
  bool dropped; /* nobody needs it but world.newest */
  struct page_map pages;
  VEC(frame_id) included;
  struct files_snapshot *files;
};

static struct {
  bool sealed, tracking;
  struct area areas[AREAS_MAX];
  int area_count;
  VEC(struct included) included;
  size_t included_bytes;
  unsigned char *included_sealed, *included_now; /* the latter: scratch, whole pages */
  struct world_snapshot *newest;           /* where we are or came from last, if it still exists */
  VEC(frame_id) included_rest;             /* as they were put last */
  struct rest rest[2][REST_PAGES];         /* likewise, of pages with gaps */
  const struct world_snapshot *rest_of;    /* the snapshot was put before, with other gaps */
  range_list dirty;                        /* as found last */
  bool dirty_is_known;                     /* still, unless there were faults since */
  long faults;                             /* then */
  uintptr_t stacks_scanned[FIBER_CLASSES]; /* their ends then */
  range_list shared_dirty;                 /* those of shared libraries, */
  bool shared_is_known;                    /* likewise */
  long shared_faults;
  int resets_since_armed;
} world;

/* Goes back with the program. */
static size_t state_used;

static size_t page_up(size_t n) {
  return (n + LAYOUT_PAGE - 1) & ~(LAYOUT_PAGE - 1);
}

void world_add_area(uintptr_t base, size_t bytes, const size_t *used) {
  CHECK(!world.sealed && world.area_count < AREAS_MAX, "area added too late or too many");
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
  vec_push(&world.included, ((struct included){p, bytes}));
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
    if (world.areas[i].sealed_bytes > SMALL_AREA_BYTES)
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

static void copy_included(unsigned char *to) {
  for (size_t i = 0; i < world.included.length; i++) {
    memcpy(to, world.included.data[i].p, world.included.data[i].bytes);
    to += world.included.data[i].bytes;
  }
}

static void restore_included(const unsigned char *from) {
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

#define PREPARE_MAX 8
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

static bool page_is_zero(uintptr_t page) {
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
    if (!page_is_zero(base + at))
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
  copy_included(world.included_sealed);
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
      if (!page_is_zero(p)) {
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

/* Fill world.dirty with the pages that may differ from the sealed ones, ascending.  False: they are those
 * that they were the last time. */
static bool find_dirty(bool for_save) {
  if (dirty_as_before())
    return false;
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
  return true;
}

/* Most questions are about ascending addresses: it begins where the last one ended. */
static const struct area *area_of(uintptr_t address) {
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
  const struct area *a = area_of((uintptr_t)p);
  return a && a->shared;
}

static void find_shared_dirty(void) {
  range_list all = world.dirty;
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
  const struct area *a = area_of(page);
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

static void drop_snapshot(struct world_snapshot *s);

/* If nobody else needs the one before, it goes. */
static void set_newest(struct world_snapshot *s) {
  struct world_snapshot *before = world.newest;
  world.newest = s;
  if (before && before != s && before->dropped)
    drop_snapshot(before);
}

static void write_sealed(uintptr_t low, uintptr_t high) {
  const struct area *a = area_of(low);
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
  if (++world.resets_since_armed < REARM_RESETS || pages < REARM_PAGES_MIN)
    return false;
  world.resets_since_armed = 0;
  for (size_t i = 0; i < world.dirty.length; i++) {
    const struct area *a = area_of(world.dirty.data[i].low);
    if (!a || area_end(a) - a->base > SMALL_AREA_BYTES)
      track_protect(world.dirty.data[i].low, world.dirty.data[i].high);
  }
  return true;
}

void world_reset(void) {
  CHECK(world.sealed && !fiber_current(), "world_reset outside the host or before world_seal");
  mapping_reset();
  bool others = find_dirty(false);
  for (size_t i = 0; i < world.dirty.length; i++)
    write_sealed(world.dirty.data[i].low, world.dirty.data[i].high);
  restore_included(world.included_sealed);
  if (world.tracking)
    others |= rearm();
  if (world.dirty_is_known &&
      others) /* otherwise nothing here has touched a page for the first time */
    world.faults = page_faults();
  files_reset();
}

/* Where to look for pages that are probably the same. */
static const struct page_map *newest_pages(void) {
  return world.newest ? &world.newest->pages : NULL;
}

static void save_pages(struct world_snapshot *s) {
  struct page_map_builder b;
  size_t k = 0;
  page_map_begin(&b, &s->pages, newest_pages());
  for (size_t i = 0; i < world.dirty.length; i++)
    for (uintptr_t page = world.dirty.data[i].low; page < world.dirty.data[i].high;
         page += LAYOUT_PAGE)
      page_map_take(&b, page, frame_take((void *)page, page_map_get(b.like, &k, page)));
  page_map_end(&b);
}

static void save_included(struct world_snapshot *s, const struct world_snapshot *before) {
  copy_included(world.included_now);
  for (size_t at = 0; at < world.included_bytes; at += LAYOUT_PAGE)
    vec_push(&s->included, frame_take(world.included_now + at,
                                      before ? before->included.data[at / LAYOUT_PAGE] : 0));
}

struct world_snapshot *world_save(void) {
  CHECK(world.sealed && !fiber_current(), "world_save outside the host or before world_seal");
  struct world_snapshot *s = mem_alloc(sizeof *s);
  find_dirty(true);
  save_pages(s);
  save_included(s, world.newest);
  s->files = files_save();
  mapping_keep();
  set_newest(s);
  world.rest_of = NULL;
  return s;
}

/* ---- states ---- */

struct slot {
  uintptr_t low, high, live; /* from live on its contents count */
};

static VEC(struct slot) slots; /* scratch */

static void note_slot(void *context, uintptr_t low, uintptr_t high, uintptr_t sp) {
  (void)context;
  bool inside = sp >= low && sp < high;
  vec_push(&slots, ((struct slot){low, high, inside ? sp : low}));
}

/* The page without what is dead; NULL: nothing else is there, or it is as sealed. */
static const void *living(uintptr_t page) {
  static _Alignas(64) unsigned char copy[LAYOUT_PAGE];
  const void *bytes = (const void *)page;
  for (size_t i = 0; i < slots.length; i++) {
    const struct slot *s = &slots.data[i];
    if (page < s->low || page >= s->high || page >= s->live)
      continue;
    if (page + LAYOUT_PAGE <= s->live)
      return NULL;
    memset(copy, 0, s->live - page);
    memcpy(copy + (s->live - page), (const void *)s->live, page + LAYOUT_PAGE - s->live);
    bytes = copy;
  }
  const struct area *a = area_of(page);
  bool sealed = a && page - a->base < a->sealed_bytes;
  if (sealed ? memcmp(bytes, a->sealed + (page - a->base), LAYOUT_PAGE) == 0
             : page_is_zero((uintptr_t)bytes))
    return NULL;
  return bytes;
}

static void put_number(struct str *out, uint64_t n) {
  str_append_bytes(out, &n, sizeof n);
}

static void save_living_pages(struct world_snapshot *s) {
  struct page_map_builder b;
  size_t k = 0;
  page_map_begin(&b, &s->pages, newest_pages());
  for (size_t i = 0; i < world.dirty.length; i++)
    for (uintptr_t page = world.dirty.data[i].low; page < world.dirty.data[i].high;
         page += LAYOUT_PAGE) {
      const void *bytes = living(page);
      if (bytes)
        page_map_take(&b, page, frame_take(bytes, page_map_get(b.like, &k, page)));
    }
  page_map_end(&b);
}

struct world_snapshot *world_save_state(struct str *out) {
  CHECK(world.sealed && !fiber_current(), "world_save_state outside the host");
  struct files_snapshot *files = mapping_untouched() ? files_save() : NULL;
  if (!files || !files_put(files, out)) {
    files_drop(files);
    return NULL; /* nobody could put that back, or tell it from another */
  }
  struct world_snapshot *s = mem_alloc(sizeof *s);
  s->files = files;
  slots.length = 0;
  fiber_each_slot(note_slot, NULL);
  find_dirty(true);
  save_living_pages(s);
  save_included(s, world.newest);
  for (size_t i = 0; i < s->pages.groups.length; i++) {
    put_number(out, s->pages.groups.data[i].base);
    put_number(out, s->pages.groups.data[i].group);
  }
  for (size_t i = 0; i < s->included.length; i++)
    put_number(out, s->included.data[i]);
  set_newest(s);
  return s;
}

/* ---- parts of states ---- */

/* Of a free slot: all of it. */
static void add_dead_stack(void *context, uintptr_t low, uintptr_t high, uintptr_t sp) {
  if (!sp)
    world_add_gap(context, (void *)low, high - low);
  else if (sp >= low && sp < high)
    world_add_gap(context, (void *)low, sp - low);
}

void world_add_machine_gaps(world_gap_list *gaps, uint32_t machines, bool in_place) {
  fiber_each_slot(add_dead_stack, gaps);
  fiber_add_gaps(gaps);
  image_add_gaps(gaps, machines);
  for (int i = 0; i < world.area_count; i++) {
    const struct area *a = &world.areas[i];
    if (a->shared ? in_place : a->machine >= 0 && machines >> a->machine & 1)
      world_add_gap(gaps, (void *)a->base, a->bytes);
  }
}

int world_machine(uintptr_t address) {
  const struct area *a = area_of(address);
  return a ? a->machine : -1;
}

/* Shell's; then those that meet become one. */
static void sort_gaps(world_gap_list *gaps) {
  struct world_gap *g = gaps->data;
  size_t n = gaps->length, left = 0;
  for (size_t step = n / 3 + 1; step; step = step == 1 ? 0 : step / 3 + (step < 3))
    for (size_t i = step; i < n; i++) {
      struct world_gap x = g[i];
      size_t k = i;
      for (; k >= step && x.low < g[k - step].low; k -= step)
        g[k] = g[k - step];
      g[k] = x;
    }
  for (size_t i = 0; i < n; i++)
    if (left && g[i].low <= g[left - 1].high)
      g[left - 1].high = g[i].high > g[left - 1].high ? g[i].high : g[left - 1].high;
    else
      g[left++] = g[i];
  gaps->length = left;
}

/* The first one that ends after that; pre: in order. */
static size_t first_gap(const world_gap_list *gaps, uintptr_t address) {
  size_t low = 0, high = gaps->length;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (gaps->data[middle].high <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Zeros where gaps are; `bytes` are a copy of what lies there. */
static void blank(unsigned char *bytes, uintptr_t low, uintptr_t high, const world_gap_list *gaps) {
  for (size_t i = first_gap(gaps, low); i < gaps->length && gaps->data[i].low < high; i++) {
    uintptr_t from = gaps->data[i].low > low ? gaps->data[i].low : low;
    uintptr_t to = gaps->data[i].high < high ? gaps->data[i].high : high;
    memset(bytes + (from - low), 0, to - from);
  }
}

static frame_id sealed_frame(uintptr_t page) {
  static frame_id zeros;
  static const unsigned char zero[LAYOUT_PAGE];
  struct area *a = (struct area *)area_of(page);
  frame_id *f = &zeros;
  if (a && page - a->base < a->sealed_bytes) {
    if (!a->frames)
      a->frames = mem_alloc(a->sealed_bytes / LAYOUT_PAGE * sizeof *a->frames);
    f = &a->frames[(page - a->base) / LAYOUT_PAGE];
  }
  if (!*f)
    *f = frame_take(f == &zeros ? zero : a->sealed + (page - a->base), 0);
  return *f;
}

/* The gaps in that page, from the first one of them on; false: there are too many. */
static bool gaps_of_page(uintptr_t page, const world_gap_list *gaps, size_t first,
                         struct rest *out) {
  out->gap_count = 0;
  for (size_t i = first; i < gaps->length && gaps->data[i].low < page + LAYOUT_PAGE; i++) {
    if (out->gap_count == REST_GAPS)
      return false;
    uintptr_t low = gaps->data[i].low > page ? gaps->data[i].low - page : 0;
    uintptr_t high = gaps->data[i].high - page;
    out->gaps[2 * out->gap_count] = (uint16_t)low;
    out->gaps[2 * out->gap_count++ + 1] = (uint16_t)(high < LAYOUT_PAGE ? high : LAYOUT_PAGE);
  }
  return true;
}

static bool same_gaps(const struct rest *a, const struct rest *b) {
  return a->gap_count == b->gap_count &&
         memcmp(a->gaps, b->gaps, 2 * a->gap_count * sizeof a->gaps[0]) == 0;
}

static frame_id blanked(const struct held_page *p, const world_gap_list *gaps, frame_id like) {
  static _Alignas(64) unsigned char copy[LAYOUT_PAGE];
  memcpy(copy, (const void *)p->address, LAYOUT_PAGE);
  blank(copy, p->address, p->address + LAYOUT_PAGE, gaps);
  frame_id f = frame_take(copy, like);
  frame_keep(f);
  frame_drop(f);
  return f;
}

static void drop_rest(struct rest *r) {
  if (r->page.frame)
    frame_drop(r->page.frame);
  *r = (struct rest){0};
}

/* What the snapshot holds there, without gaps, from number *k on; 0: nothing that counts, as if nobody had ever
 * written there. */
static frame_id rest_of_page(const struct held_page *p, const world_gap_list *gaps, size_t *k,
                             bool second) {
  while (*k < gaps->length && gaps->data[*k].high <= p->address)
    ++*k;
  const struct world_gap *g = *k < gaps->length ? &gaps->data[*k] : NULL;
  if (g && g->low <= p->address && g->high >= p->address + LAYOUT_PAGE)
    return 0;
  frame_id sealed = sealed_frame(p->address);
  if (p->frame == sealed)
    return 0;
  if (!g || g->low >= p->address + LAYOUT_PAGE) {
    frame_keep(p->frame);
    return p->frame;
  }
  struct rest *before = &world.rest[second][p->address / LAYOUT_PAGE % REST_PAGES];
  struct rest new = {.page = *p};
  bool keeps = gaps_of_page(p->address, gaps, *k, &new);
  bool same_page = before->page.address == p->address;
  if (keeps && same_page && before->page.frame == p->frame && same_gaps(before, &new))
    return before->rest == sealed ? 0 : before->rest;
  new.rest = blanked(p, gaps, same_page ? before->rest : p->frame);
  drop_rest(before);
  if (keeps) {
    frame_again(p->frame);
    *before = new;
  }
  return new.rest == sealed ? 0 : new.rest;
}

static void put_rest_of_included(const world_gap_list *gaps, struct str *out) {
  unsigned char *to = world.included_now;
  copy_included(to);
  for (size_t i = 0; i < world.included.length; i++) {
    const struct included *x = &world.included.data[i];
    blank(to, (uintptr_t)x->p, (uintptr_t)x->p + x->bytes, gaps);
    to += x->bytes;
  }
  for (size_t at = 0; at < world.included_bytes; at += LAYOUT_PAGE) {
    size_t n = at / LAYOUT_PAGE;
    if (world.included_rest.length <= n)
      vec_push(&world.included_rest, 0);
    frame_id f = frame_take(world.included_now + at, world.included_rest.data[n]);
    frame_keep(f);
    frame_drop(f);
    world.included_rest.data[n] = f;
    put_number(out, f);
  }
}

bool world_put_rest(const struct world_snapshot *s, world_gap_list *gaps, struct str *out) {
  CHECK(world.newest == s, "the snapshot is not the newest one");
  if (!mapping_untouched() || !files_put(s->files, out))
    return false;
  sort_gaps(gaps);
  put_rest_of_included(gaps, out);
  bool second = world.rest_of == s;
  struct page_map_cursor c = {0};
  struct held_page p;
  for (size_t k = 0; page_map_next(&s->pages, &c, &p.address, &p.frame);) {
    frame_id f = rest_of_page(&p, gaps, &k, second);
    if (f) {
      put_number(out, p.address);
      put_number(out, f);
    }
  }
  world.rest_of = s;
  return true;
}

void world_forget_rests(void) {
  world.included_rest.length = 0;
  for (size_t i = 0; i < REST_PAGES; i++) {
    drop_rest(&world.rest[0][i]);
    drop_rest(&world.rest[1][i]);
  }
  frame_release();
}

static void restore_page(uintptr_t page, frame_id f) {
  if (f)
    frame_write(f, (void *)page);
  else
    write_sealed(page, page + LAYOUT_PAGE);
}

/* All pages that the snapshot holds; others that are dirty go back to their sealed contents. */
static void restore_all(const struct world_snapshot *s) {
  struct page_map_cursor c = {0};
  uintptr_t page;
  frame_id f;
  size_t k = 0;
  for (size_t i = 0; i < world.dirty.length; i++)
    for (page = world.dirty.data[i].low; page < world.dirty.data[i].high; page += LAYOUT_PAGE)
      if (!page_map_get(&s->pages, &k, page))
        write_sealed(page, page + LAYOUT_PAGE);
  while (page_map_next(&s->pages, &c, &page, &f))
    restore_page(page, f);
}

/* A group lies among areas, or among stacks. */
static void open_slots(const struct page_map *m) {
  uintptr_t page;
  frame_id f;
  for (size_t i = 0; i < m->groups.length; i++) {
    struct page_map_cursor c = {.group = i};
    while (page_map_next(m, &c, &page, &f) && c.group == i && !area_of(page))
      fiber_open_slots(page);
  }
}

void world_restore(struct world_snapshot *s) {
  CHECK(!fiber_current(), "world_restore outside the host");
  mapping_reset();
  find_dirty(false);
  open_slots(&s->pages);
  restore_all(s);
  for (size_t i = 0; i < s->included.length; i++)
    frame_write(s->included.data[i], world.included_now + i * LAYOUT_PAGE);
  restore_included(world.included_now);
  files_restore(s->files);
  set_newest(s);
}

static void drop_snapshot(struct world_snapshot *s) {
  for (size_t i = 0; i < s->included.length; i++)
    frame_drop(s->included.data[i]);
  page_map_free(&s->pages);
  vec_free(&s->included);
  files_drop(s->files);
  mem_free(s, sizeof *s);
}

void world_drop(struct world_snapshot *s) {
  if (!s)
    return;
  s->dropped = true;
  if (world.newest != s)
    drop_snapshot(s);
}
