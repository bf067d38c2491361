#include "base/check.h"
#include "base/str.h"
#include "process/fiber.h"
#include "process/heap_internal.h"
#include "process/stop.h"
#include "process/world.h"
#include "process/world_internal.h"
#include <errno.h>
#include <sys/mman.h>

/* Survives. */
bool heap_mapped, heap_common, heap_apart;
uintptr_t heap_moved;
int heap_shift = 32;
_Static_assert((size_t)1 << 32 == LAYOUT_HEAP_BYTES, "of one machine");
static int machines = 1;
static uint32_t generations_mapped = 1; /* a bit for each */

size_t heap_arena;

static size_t machine_bytes(void) {
  return machines == 1 ? LAYOUT_HEAP_ALONE_BYTES : (size_t)1 << heap_shift;
}

/* Of all machines together. */
static size_t moved_bytes(void) {
  return (size_t)machines * machine_bytes();
}

/* Of the arena in use. */
size_t heap_arena_bytes(void) {
  return heap_arena ? machine_bytes() : LAYOUT_HEAP_BYTES;
}

size_t heap_arena_pages(void) {
  return heap_arena_bytes() / LAYOUT_PAGE;
}

static void map(uintptr_t base, size_t bytes) {
  void *p = mmap((void *)base, bytes, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  REQUIRE(p == (void *)base, "no address space for the heap"
                             " (ulimit -v, or vm.overcommit_memory)");
  madvise(p, bytes, MADV_NOHUGEPAGE);
}

/* So many of them, from the one in use on.  All zeros is an empty heap, which nobody has to put back. */
static void map_arenas(size_t count) {
  map((uintptr_t)HEAP, count * TABLE_STRIDE);
  map(BASE, count * heap_arena_bytes());
}

/* Programs ask for more than that to see it fail. */
#define ABSURD_BYTES ((size_t)1 << 40)

void heap_tell_full(size_t bytes) {
  if (bytes >= ABSURD_BYTES || !stop_remark || !fiber_current())
    return;
  struct str text = {0};
  str_format(
      &text,
      "an allocation of %zu bytes failed: in a check the heap %shas %zu GiB; make what the program "
      "allocates smaller",
      bytes, heap_common ? "of a thread " : "", heap_arena_bytes() >> 30);
  stop_remark(str_text(&text));
  str_free(&text);
}

void heap_start(void) {
  heap_mapped = true;
  map_arenas(1);
}

void heap_set_machines(int count) {
  CHECK(count >= 1 && count <= HEAP_MACHINES_MAX && !heap_arena, "%d machines", count);
  machines = count;
}

void heap_share(void) {
  heap_common = true;
  heap_shift = LAYOUT_HEAP_SHARED_SHIFT;
  CHECK(LAYOUT_HEAP_BYTES + moved_bytes() <= LAYOUT_STACK_BASE - LAYOUT_HEAP_BASE, "%d heaps",
        machines);
}

void heap_keep_apart(void) {
  heap_common = heap_apart = true;
}

void heap_select(int machine) {
  CHECK(machine >= 0 && machine < machines, "no heap for machine %d", machine);
  heap_arena = 1 + (size_t)machine;
}

void heap_add_gap(world_gap_list *gaps) {
  world_add_gap(gaps, &heap_arena, sizeof heap_arena);
}

void heap_seal(void) {
  if (!heap_mapped)
    heap_start();
  for (heap_arena = 0; heap_arena <= (size_t)machines; heap_arena++) {
    if (heap_arena == 1)
      map_arenas((size_t)machines);
    if (heap_arena) /* the table of arena 0 does not change any more */
      world_add_area((uintptr_t)HEAP, TABLE_STRIDE, &HEAP->table_used);
    world_add_area(BASE, heap_arena_bytes(), &HEAP->pages_used);
  }
  heap_select(0);
  world_include(&heap_arena, sizeof heap_arena);
}

int heap_machine(uintptr_t address) {
  if (address >= LAYOUT_HEAP_BASE + LAYOUT_HEAP_BYTES && address < LAYOUT_STACK_BASE) {
    uintptr_t number = (address - LAYOUT_HEAP_BASE - LAYOUT_HEAP_BYTES) / machine_bytes();
    return number < (uintptr_t)machines ? (int)number : -1;
  }
  if (address < LAYOUT_HEAP_TABLE_BASE + TABLE_STRIDE || address >= LAYOUT_HEAP_BASE)
    return -1;
  uintptr_t number = (address - LAYOUT_HEAP_TABLE_BASE) / TABLE_STRIDE - 1;
  return number < (uintptr_t)machines ? (int)number : -1;
}

/* From heap 1 on. */
static uintptr_t heap_base(int generation) {
  return LAYOUT_HEAP_BASE + LAYOUT_HEAP_BYTES + (uintptr_t)generation * LAYOUT_HEAP_STRIDE;
}

bool heap_spans(int generation, uintptr_t address) {
  return address - heap_base(generation) < moved_bytes();
}

void heap_move(int generation) {
  _Static_assert((HEAP_MOVED_MAX + 1) * LAYOUT_HEAP_BYTES <= LAYOUT_HEAP_STRIDE &&
                     LAYOUT_HEAP_ALONE_BYTES + LAYOUT_HEAP_BYTES <= LAYOUT_HEAP_STRIDE,
                 "heaps overlap");
  CHECK(machines <= HEAP_MOVED_MAX && heap_arena == 1, "%d heaps do not move", machines);
  uintptr_t from = BASE, to = heap_base(generation);
  bool first = !(generations_mapped >> generation & 1);
  if (first)
    map(to, moved_bytes());
  generations_mapped |= 1u << generation;
  if (heap_moved ==
      0) /* with one schedule the search does not come back to it; the pages are zero */
    madvise((void *)from, moved_bytes(), MADV_DONTNEED);
  int failed = mprotect((void *)from, moved_bytes(), PROT_NONE);
  failed |= mprotect((void *)to, moved_bytes(), PROT_READ | PROT_WRITE);
  CHECK(!failed, "mprotect of the heap: errno %d", errno);
  for (size_t i = 0; i < moved_bytes(); i += machine_bytes())
    world_move_area(from + i, to + i, first);
  heap_moved = (uintptr_t)generation * LAYOUT_HEAP_STRIDE;
}

size_t heap_arena_of(const void *p) {
  uintptr_t offset = (uintptr_t)p - LAYOUT_HEAP_BASE;
  if (offset < LAYOUT_HEAP_BYTES)
    return 0;
  offset -= heap_first(); /* what lies below is very far above */
  if (machines == 1)
    return offset < LAYOUT_HEAP_ALONE_BYTES ? 1 : ARENAS;
  size_t n = offset >> heap_shift;
  return n < (size_t)machines ? 1 + n : ARENAS;
}

bool heap_contains(const void *p) {
  return heap_arena_of(p) < ARENAS;
}

bool heap_is_own(const void *p) {
  return heap_arena_of(p) == heap_arena;
}
