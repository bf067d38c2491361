#include "access/mapped.h"
#include "access/space.h"
#include "process/layout.h"
#include "process/machine_state.h"
#include "process/world.h"

/* Both in world memory, with room only for what there is: the world is copied often. */
static struct range {
  uintptr_t low, high;
  enum mapped_how how;
} * ranges;

static struct file {
  uintptr_t base;      /* of its region */
  uint32_t count;      /* of its ranges */
  uintptr_t end;       /* of its last page */
  uintptr_t low, high; /* some accessible part: that of most accesses */
  bool cut;            /* something that was accessible is not any more */
} * files;

static uint32_t range_count, range_room, file_count, file_room;

static void include(void) {
  world_include(&ranges, sizeof ranges);
  world_include(&files, sizeof files);
  world_include(&range_count, sizeof range_count);
  world_include(&range_room, sizeof range_room);
  world_include(&file_count, sizeof file_count);
  world_include(&file_room, sizeof file_room);
}
WORLD_AT_SEAL(include)

static uintptr_t page_up(uintptr_t n) {
  return (n + LAYOUT_PAGE - 1) & ~(uintptr_t)(LAYOUT_PAGE - 1);
}

static struct file *file_of(const struct region *r) {
  for (uint32_t i = 0; i < file_count; i++)
    if (files[i].base == r->base)
      return &files[i];
  return NULL;
}

static struct file *file_or_new(const struct region *r) {
  struct file *f = file_of(r);
  if (f)
    return f;
  WORLD_ROOM(files, file_count, file_room);
  f = &files[file_count++];
  *f = (struct file){.base = r->base, .end = UINTPTR_MAX};
  return f;
}

static bool is_of(const struct range *x, const struct region *r) {
  return x->low - r->base < r->bytes;
}

static uintptr_t least(uintptr_t a, uintptr_t b) {
  return a < b ? a : b;
}

static uintptr_t most(uintptr_t a, uintptr_t b) {
  return a > b ? a : b;
}

/* Loads of known bytes need not look here if all files are mapped, and nothing was taken away (access/quick.h). */
static bool is_open(const struct region *r, const struct file *f) {
  return f && r->must_be_mapped && f->count && !f->cut;
}

/* After a change; was: is_open before it. */
static void changed(const struct region *r, struct file *f, bool was) {
  machine_changed_shared();
  if (!f->count) {
    f->cut = false;
    f->end = UINTPTR_MAX;
  }
  f->low = f->high = 0;
  for (uint32_t i = 0; i < range_count; i++) {
    uintptr_t high = least(ranges[i].high, f->end);
    if (is_of(&ranges[i], r) && high > ranges[i].low && high - ranges[i].low > f->high - f->low) {
      f->low = ranges[i].low;
      f->high = high;
    }
  }
  space_files.mapped += (uint32_t)is_open(r, f) - (uint32_t)was;
}

static void add_range(struct file *f, struct range x) {
  if (x.low >= x.high)
    return;
  WORLD_ROOM(ranges, range_count, range_room);
  ranges[range_count++] = x;
  f->count++;
}

static void drop_range(struct file *f, uint32_t i) {
  ranges[i] = ranges[--range_count];
  f->count--;
}

void mapped_add(const struct region *r, uintptr_t address, size_t bytes, enum mapped_how how) {
  if (how == MAPPED_BY_PROGRAM)
    space_files.largest = most(space_files.largest, bytes);
  struct file *f = file_or_new(r);
  bool was = is_open(r, f);
  add_range(f, (struct range){address, page_up(address + bytes), how});
  changed(r, f, was);
}

bool mapped_covers(const struct region *r, uintptr_t address, size_t bytes) {
  uintptr_t upto = address, high = address + bytes;
  for (uint32_t i = 0; i < range_count && upto < high;)
    if (is_of(&ranges[i], r) && ranges[i].low <= upto && upto < ranges[i].high) {
      upto = ranges[i].high;
      i = 0;
    } else {
      i++;
    }
  return upto >= high;
}

/* Take [low, high) out of a range. */
static void cut_out(struct file *f, uint32_t i, uintptr_t low, uintptr_t high) {
  struct range x = ranges[i];
  drop_range(f, i);
  add_range(f, (struct range){x.low, most(x.low, least(x.high, low)), x.how});
  add_range(f, (struct range){least(x.high, most(x.low, high)), x.high, x.how});
}

/* The range to take a page from that is mapped several times: the one that is all of [low, high), or the least. */
static uint32_t best_range(const struct region *r, uintptr_t low, uintptr_t high) {
  uint32_t best = UINT32_MAX;
  for (uint32_t i = 0; i < range_count; i++)
    if (is_of(&ranges[i], r) && ranges[i].how == MAPPED_BY_PROGRAM && ranges[i].low <= low &&
        low < ranges[i].high &&
        (best == UINT32_MAX ||
         (ranges[best].high - ranges[best].low != high - low &&
          ranges[i].high - ranges[i].low < ranges[best].high - ranges[best].low)))
      best = i;
  return best;
}

bool mapped_remove(const struct region *r, uintptr_t address, size_t bytes) {
  struct file *f = file_of(r);
  uintptr_t high = page_up(address + bytes);
  bool found = false, was = is_open(r, f);
  for (uintptr_t low = address; f && low < high;) {
    uint32_t i = best_range(r, low, high);
    if (i == UINT32_MAX) {
      low += LAYOUT_PAGE;
      continue;
    }
    uintptr_t upto = least(ranges[i].high, high);
    cut_out(f, i, low, upto);
    low = upto;
    found = true;
  }
  if (!found)
    return false;
  f->cut |= !mapped_covers(r, address, high - address);
  changed(r, f, was);
  return true;
}

void mapped_leave(const struct region *r, uintptr_t address, size_t bytes) {
  struct file *f = file_of(r);
  uintptr_t high = page_up(address + bytes);
  bool was = is_open(r, f);
  for (uint32_t i = 0; i < range_count; i++)
    if (ranges[i].how == MAPPED_BY_KERNEL && ranges[i].low == address && ranges[i].high == high) {
      drop_range(f, i);
      changed(r, f, was);
      return;
    }
}

bool mapped_remove_whole(const struct region *r, uintptr_t address) {
  for (uint32_t i = 0; i < range_count; i++)
    if (ranges[i].low == address && is_of(&ranges[i], r))
      return mapped_remove(r, address, ranges[i].high - address);
  return false;
}

bool mapped_any(const struct region *r) {
  const struct file *f = file_of(r);
  return f && f->count;
}

void mapped_set_end(const struct region *r, size_t bytes) {
  struct file *f = file_of(r);
  if (!f || !f->count)
    return;
  bool was = is_open(r, f);
  uintptr_t end = page_up(r->base + bytes);
  for (uint32_t i = 0; i < range_count; i++)
    f->cut |= is_of(&ranges[i], r) && least(ranges[i].high, f->end) > most(end, ranges[i].low);
  f->end = end;
  changed(r, f, was);
}

size_t mapped_end(const struct region *r) {
  const struct file *f = file_of(r);
  return f && f->end != UINTPTR_MAX ? f->end - r->base : SIZE_MAX;
}

enum mapped_state mapped_at(uintptr_t address) {
  const struct region *r = space_region_at(address);
  if (!r || !r->must_be_mapped)
    return MAPPED;
  const struct file *f = file_of(r);
  if (!f || !f->count)
    return MAPPED_NOT;
  if (address - f->low < f->high - f->low)
    return MAPPED;
  enum mapped_state state = MAPPED_NOT;
  for (uint32_t i = 0; i < range_count && state != MAPPED; i++)
    if (address >= ranges[i].low && address < ranges[i].high)
      state = ranges[i].how == MAPPED_BY_KERNEL || address < f->end ? MAPPED : MAPPED_BEYOND_END;
  return state;
}
