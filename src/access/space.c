#include "access/space.h"
#include "access/space_internal.h"
#include "access/space_tree.h"
#include "base/check.h"
#include "base/hash.h"
#include "base/rng.h"
#include "base/str.h"
#include "base/vec.h"
#include "event/window.h"
#include "process/machine_state.h"
#include "process/share.h"
#include "process/stop.h"
#include "process/world.h"
#include <string.h>
#include <sys/mman.h>

#define LINES_PER_CHUNK SPACE_LINES_PER_CHUNK

static struct {
  VEC(struct space_line *) chunks; /* see space_lines */
  size_t line_count;               /* index 0 is not used */
  VEC(struct space_line *) touched;
  struct region *slots[SPACE_SLOTS];
  bool observing, observe_all;
  bool shared;                      /* runs are processes of their own */
  uint8_t *garbage;                 /* repeated through regions; NULL: fresh memory is zero */
  size_t garbage_upto[SPACE_SLOTS]; /* bytes of the slot that were asked for */
} space = {.line_count = 1};

struct space_lines space_lines;
struct space_files space_files;

#define ROOM_SLOTS 15 /* behind a region, if there are so many, for files that grow */
#define GARBAGE_BYTES ((size_t)64 << 10)

/* As far as this process has written garbage, and initial contents by a region's first slot, to its
 * alias.  Not shared. */
static size_t filled[SPACE_SLOTS], begun[SPACE_SLOTS];

static void *map_at(uintptr_t address, size_t bytes, int protection, int flags, int fd) {
  void *p =
      mmap((void *)address, bytes, protection, flags | MAP_FIXED_NOREPLACE | MAP_NORESERVE, fd, 0);
  CHECK(p == (void *)address, "cannot map the watched window at 0x%lx", (unsigned long)address);
  return p;
}

/* A table with an element for each line of the regions' part of the window. */
static void *map_by_line(uintptr_t address, size_t bytes, bool shared) {
  void *p = mmap((void *)address, SPACE_REGION_BYTES / LINE_BYTES * bytes, PROT_READ | PROT_WRITE,
                 (shared ? MAP_SHARED : MAP_PRIVATE) | MAP_ANONYMOUS | MAP_NORESERVE |
                     MAP_FIXED_NOREPLACE,
                 -1, 0);
  REQUIRE(p != MAP_FAILED, "no address space for the line index"
                           " (ulimit -v, or vm.overcommit_memory)");
  return p;
}

void space_init(bool shared) {
  space.shared = shared;
  map_at(window.base, window.wanted ? window.bytes : SPACE_OWN_OFFSET, PROT_NONE,
         MAP_PRIVATE | MAP_ANONYMOUS, -1);
  uintptr_t own = ABI_WINDOW_BASE + SPACE_OWN_OFFSET;
  size_t bytes = SPACE_OWN_BYTES - (shared ? SPACE_UNSHARED_BYTES : 0);
  mem_set_arena(map_at(own, bytes, PROT_READ | PROT_WRITE,
                       (shared ? MAP_SHARED : MAP_PRIVATE) | MAP_ANONYMOUS, -1),
                bytes);
  if (shared)
    mem_set_own_arena(map_at(own + bytes, SPACE_UNSHARED_BYTES, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS, -1),
                      SPACE_UNSHARED_BYTES);
  map_at(SPACE_ALIAS, SPACE_REGION_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
  space_lines.index = map_by_line(SPACE_INDEX, sizeof *space_lines.index, shared);
  space_lines.known = map_by_line(SPACE_KNOWN, sizeof *space_lines.known, shared);
  world_include(&space_files.mapped, sizeof space_files.mapped);
}

struct region *space_find(const char *name) {
  for (size_t i = 0; i < SPACE_SLOTS; i++)
    if (space.slots[i] && strcmp(space.slots[i]->name, name) == 0)
      return space.slots[i];
  return NULL;
}

static size_t slot_count(void) {
  return window.wanted ? window.bytes / SPACE_SLOT_BYTES : SPACE_SLOTS;
}

static size_t slot_of(uintptr_t address) {
  return (address - window.base) / SPACE_SLOT_BYTES;
}

static bool slots_free(size_t first, size_t count) {
  for (size_t i = first; i < first + count; i++)
    if (i >= slot_count() || space.slots[i])
      return false;
  return true;
}

/* Where to look first.  It depends on the name alone unless two names collide, so that addresses do
 * not depend on the order in which executions are explored; and is out of the way of addresses that the
 * program wants. */
static size_t first_slot(const char *name) {
  size_t hash = hash_bytes(0, name, strlen(name));
  if (!window.wanted)
    return hash % SPACE_SLOTS;
  return (slot_of(window.wanted) + slot_count() / 2 + hash % (slot_count() / 4)) % slot_count();
}

static bool find_slots(const char *name, size_t count, size_t *slot) {
  for (size_t k = 0; k < slot_count(); k++) {
    *slot = (first_slot(name) + k) % slot_count();
    if (slots_free(*slot, count))
      return true;
  }
  return false;
}

static struct region *new_region(const char *name, size_t bytes, uintptr_t base) {
  struct region *r = mem_alloc(sizeof *r);
  memcpy(r->name, name, strlen(name) + 1);
  r->base = base;
  r->bytes = bytes;
  for (size_t i = slot_of(base); i <= slot_of(base + bytes - 1); i++)
    space.slots[i] = r;
  return r;
}

struct region *space_region(const char *name, size_t bytes, uintptr_t at) {
  struct region *r = space_find(name);
  if (r || strlen(name) >= sizeof r->name)
    return r;
  if (bytes == 0 || bytes > SPACE_REGION_BYTES / 2)
    return NULL;
  if (at)
    return window_has(at) && slots_free(slot_of(at), slot_of(at + bytes - 1) - slot_of(at) + 1)
               ? new_region(name, bytes, at)
               : NULL;
  size_t slot, count = (bytes + SPACE_SLOT_BYTES - 1) / SPACE_SLOT_BYTES;
  bool found = find_slots(name, count + ROOM_SLOTS, &slot) || find_slots(name, count, &slot);
  return found ? new_region(name, bytes, window.base + slot * SPACE_SLOT_BYTES) : NULL;
}

bool space_grow(struct region *r, size_t bytes) {
  if (bytes <= r->bytes)
    return true;
  if (bytes > SPACE_REGION_BYTES)
    return false;
  size_t first = slot_of(r->base + r->bytes - 1) + 1, last = slot_of(r->base + bytes - 1);
  if (!slots_free(first, last + 1 - first))
    return false;
  for (size_t i = first; i <= last; i++)
    space.slots[i] = r;
  r->bytes = bytes;
  return true;
}

struct region *space_region_at(uintptr_t address) {
  size_t slot = slot_of(address);
  struct region *r = address >= window.base && slot < SPACE_SLOTS ? space.slots[slot] : NULL;
  return r && address - r->base < r->bytes ? r : NULL;
}

bool space_valid(uintptr_t address, size_t bytes) {
  struct region *r = space_region_at(address);
  return r && bytes <= r->bytes && address - r->base <= r->bytes - bytes;
}

void space_must_be_mapped(struct region *r) {
  space_files.known += !r->must_be_mapped;
  r->must_be_mapped = true;
}

struct space_line *space_line_by_index(size_t index) {
  return &space.chunks.data[index / LINES_PER_CHUNK][index % LINES_PER_CHUNK];
}

size_t space_line_count(void) {
  return space.line_count;
}

/* Also outside of what was asked for: then its alias holds zeros. */
static void begin_as_garbage(struct space_line *l) {
  l->line.initial = space.garbage + l->line.address % GARBAGE_BYTES;
  memcpy(space_alias(l->line.address), l->line.initial, LINE_BYTES);
}

struct space_line *space_line(uintptr_t address) {
  uint32_t *index = &space_lines.index[(address - window.base) / LINE_BYTES];
  if (*index)
    return space_line_by_index(*index);
  size_t new = space.line_count++;
  CHECK(new < UINT32_MAX, "too many lines");
  if (new / LINES_PER_CHUNK >= space.chunks.length) {
    vec_push(&space.chunks, mem_alloc(LINES_PER_CHUNK * sizeof(struct space_line)));
    space_lines.chunks = space.chunks.data;
  }
  *index = (uint32_t) new;
  struct space_line *l = space_line_by_index(new);
  line_init(&l->line, LINE_OF(address));
  l->line.number = (uint32_t) new;
  l->known = &space_lines.known[(address - window.base) / LINE_BYTES];
  struct region *r = space_region_at(address);
  size_t offset = r ? LINE_OF(address) - r->base : 0;
  if (r && offset < r->initial_bytes)
    l->line.initial = r->initial + offset;
  else if (r && r->garbage)
    begin_as_garbage(l);
  l->observed = space.observing && space.observe_all;
  return l;
}

bool space_notes_changes;

void space_touch(struct space_line *l) {
  if (space_notes_changes)
    space_tree_changed(l);
  if (!l->touched) {
    l->touched = true;
    l->touched_at = (uint32_t)space.touched.length;
    vec_push(&space.touched, l);
  }
}

static void untouch(struct space_line *l) {
  struct space_line *last = vec_pop(&space.touched);
  if (last != l) {
    space.touched.data[l->touched_at] = last;
    last->touched_at = l->touched_at;
  }
  l->touched = false;
}

void space_begin_observing(bool all) {
  space.observing = true;
  space.observe_all = all;
  for (size_t i = 1; i < space.line_count; i++)
    space_line_by_index(i)->observed = true;
}

bool space_observes_all(void) {
  return space.observing && space.observe_all;
}

static void write_initial(const struct space_line *l) {
  void *bytes = space_alias(l->line.address);
  if (l->line.initial)
    memcpy(bytes, l->line.initial, LINE_BYTES);
  else
    memset(bytes, 0, LINE_BYTES);
}

void space_copy_bytes(uint64_t which, unsigned char *to, const unsigned char *from) {
  for (int word = 0; which; word += 8, which >>= 8)
    if ((which & 0xff) == 0xff)
      memcpy(to + word, from + word, 8);
    else
      for (uint64_t left = which & 0xff; left; left &= left - 1)
        to[word + __builtin_ctzl(left)] = from[word + __builtin_ctzl(left)];
}

static void forget_line(struct space_line *l) {
  unsigned char keep[LINE_BYTES];
  if (*l->known != l->own) {
    space_copy_bytes(l->own, keep, space_alias(l->line.address));
    write_initial(l);
    space_copy_bytes(l->own, space_alias(l->line.address), keep);
    *l->known = l->own;
  }
  if (!l->own && l->touched)
    untouch(l);
}

/* What was read was touched since the last time, or since the execution began. */
void space_forget(void) {
  size_t count;
  struct space_line *const *changed = space_tree_changes(&count);
  for (size_t i = 0; space_notes_changes && i < count; i++)
    forget_line(changed[i]);
  for (size_t i = space.touched.length; !space_notes_changes && i-- > 0;)
    forget_line(space.touched.data[i]);
}

void space_disown(uintptr_t address, int size) {
  struct space_line *l = space_line(address);
  uint64_t bytes = (size == 64 ? ~(uint64_t)0 : ((uint64_t)1 << size) - 1) << address % LINE_BYTES;
  CHECK((l->own & bytes) == bytes, "another execution has stored at 0x%lx", (unsigned long)address);
  space_touch(l);
  l->own &= ~bytes;
}

/* Shell's: nearly sorted most of the time. */
static void sort_touched(void) {
  struct space_line **t = space.touched.data;
  size_t n = space.touched.length;
  for (size_t gap = n / 2; gap; gap /= 2)
    for (size_t i = gap; i < n; i++)
      for (size_t j = i; j >= gap && t[j]->line.number < t[j - gap]->line.number; j -= gap) {
        struct space_line *swap = t[j];
        t[j] = t[j - gap];
        t[j - gap] = swap;
      }
  for (size_t i = 0; i < n; i++)
    t[i]->touched_at = (uint32_t)i;
}

void space_put_line(struct put_line *to, const struct space_line *l, bool counts) {
  *to = (struct put_line){
      .known = *l->known, .own = l->own, .number = l->line.number, .positions = l->own != 0};
  if (counts) {
    to->positions = l->positions;
    to->written_back = l->written_back;
    to->writer = l->writer;
  }
  space_copy_bytes(*l->known, to->bytes, space_alias(l->line.address));
}

void space_set_line(const struct put_line *from) {
  struct space_line *l = space_line_by_index(from->number);
  space_touch(l);
  if (*l->known & ~from->known)
    write_initial(l);
  *l->known = from->known;
  l->own = from->own;
  l->positions = from->positions;
  l->written_back = from->written_back;
  l->writer = from->writer;
  space_copy_bytes(*l->known, space_alias(l->line.address), from->bytes);
}

void space_put(struct str *out, bool counts) {
  struct put_line x;
  sort_touched();
  for (size_t i = 0; i < space.touched.length; i++) {
    space_put_line(&x, space.touched.data[i], counts);
    str_append_bytes(out, &x, sizeof x);
  }
}

void space_set(const char *bytes, size_t n) {
  struct put_line x;
  for (; n; bytes += sizeof x, n -= sizeof x) {
    CHECK(n >= sizeof x, "half a line");
    memcpy(&x, bytes, sizeof x);
    space_set_line(&x);
  }
}

void space_fill_with_garbage(void) {
  struct rng rng = {.state = GARBAGE_BYTES};
  space.garbage = mem_alloc(GARBAGE_BYTES);
  for (size_t i = 0; i < GARBAGE_BYTES; i += sizeof(uint64_t)) {
    uint64_t word = rng_next(&rng) | 0x8080808080808080;
    memcpy(space.garbage + i, &word, sizeof word);
  }
}

/* Nothing was stored there yet; slots are multiples of the garbage. */
static void fill_slot(size_t slot) {
  uint8_t *alias = space_alias(window.base + slot * SPACE_SLOT_BYTES);
  while (filled[slot] < space.garbage_upto[slot]) {
    size_t at = filled[slot] % GARBAGE_BYTES, n = space.garbage_upto[slot] - filled[slot];
    n = n < GARBAGE_BYTES - at ? n : GARBAGE_BYTES - at;
    memcpy(alias + filled[slot], space.garbage + at, n);
    filled[slot] += n;
  }
}

void space_fresh(struct region *r, uintptr_t address, size_t bytes) {
  if (!space.garbage || !bytes)
    return;
  if (bytes > SPACE_SLOT_BYTES)
    stop_with(STOP_REFUSED, NULL,
              "--fill=garbage fills regions of 1 GiB at most; '%s' has %zu bytes", r->name,
              r->bytes);
  r->garbage = true;
  size_t first = slot_of(address), last = slot_of(address + bytes - 1);
  for (size_t slot = first; slot <= last; slot++) {
    uintptr_t base = window.base + slot * SPACE_SLOT_BYTES;
    size_t end = slot < last ? SPACE_SLOT_BYTES : address + bytes - base;
    end = (end + LINE_BYTES - 1) & ~(size_t)(LINE_BYTES - 1);
    if (end > space.garbage_upto[slot])
      space.garbage_upto[slot] = end;
    fill_slot(slot);
  }
}

static void begin(const struct region *r) {
  size_t *done = &begun[slot_of(r->base)];
  memcpy((uint8_t *)space_alias(r->base) + *done, r->initial + *done, r->initial_bytes - *done);
  *done = r->initial_bytes;
}

void space_set_initial(struct region *r, const uint8_t *initial, size_t bytes) {
  r->initial = initial;
  r->initial_bytes = bytes;
  begin(r);
}

/* What another process was asked for. */
static void catch_up(void) {
  for (size_t slot = 0; slot < SPACE_SLOTS; slot++) {
    const struct region *r = space.slots[slot];
    if (space.garbage)
      fill_slot(slot);
    if (r && r->initial && slot == slot_of(r->base) && begun[slot] < r->initial_bytes)
      begin(r);
  }
}

static void clear(struct space_line *l) {
  write_initial(l);
  *l->known = l->own = 0;
  l->positions = l->written_back = 0;
}

void space_clear_line(uint32_t number) {
  struct space_line *l = space_line_by_index(number);
  clear(l);
  if (l->touched)
    untouch(l);
}

void space_reset(void) {
  if (space.shared)
    catch_up();
  if (space_tree_keeps())
    return;
  space_tree_reset(space.touched.data, space.touched.length);
  for (size_t i = 0; i < space.touched.length; i++) {
    clear(space.touched.data[i]);
    space.touched.data[i]->touched = false;
  }
  space.touched.length = 0;
}

void space_share(void) {
  share_register(&space, sizeof space);
  share_register(&space_lines, sizeof space_lines);
  share_register(&space_files, sizeof space_files);
}
