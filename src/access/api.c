/* <tidemark.h> as a checked program sees it. */
#include "access/access.h"
#include "access/allocator.h"
#include "access/ordinary.h"
#include "access/schedule.h"
#include "access/turn.h"
#include "access/vain.h"
#include "door/door.h"
#include "process/heap.h"
#include "process/program.h"
#include "thread/thread.h"
#include "tidemark.h"
#include <errno.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT void *tidemark_region(const char *name, size_t bytes) {
  if (ordinary.on)
    return ordinary_region(name, bytes);
  struct region *r = space_region(name, bytes, 0);
  if (r && !r->must_be_mapped)
    space_fresh(r, r->base, r->bytes);
  return r ? (void *)r->base : NULL;
}

EXPORT int tidemark_failures(void) {
  return access_failures();
}

EXPORT void *tidemark_alloc(size_t bytes) {
  if (ordinary.on)
    return heap_alloc_zeroed(bytes);
  int part, share = schedule.heaps ? thread_current()->id % ALLOCATOR_SHARES : -1;
  size_t *used = access_allocated(&part, share);
  if (schedule_explores()) { /* the order of allocations shows in their addresses */
    uintptr_t object = (uintptr_t)allocator_take + (uintptr_t)(share > 0 ? share : 0);
    schedule_point(OPERATION_LOCK, (void *)object, 1, false, NULL);
  }
  uintptr_t p = allocator_take(bytes, part, share, used);
  if (!p)
    errno = ENOMEM;
  return (void *)p;
}

EXPORT void tidemark_free(void *p) {
  if (ordinary.on)
    return; /* as in the other models */
  if (p && !space_region_at((uintptr_t)p))
    stop_with(STOP_ABORT, NULL, "tidemark_free of %p, which tidemark_alloc did not return", p);
}

EXPORT int tidemark_machine(void) {
  return thread_current()->machine;
}

EXPORT int tidemark_machines(void) {
  return access_machines();
}

EXPORT int tidemark_machine_failed(int machine) {
  return access_machine_failed(machine);
}

EXPORT void tidemark_on_poison(void (*handler)(void *)) {
  access_on_poison(handler);
}

EXPORT void tidemark_checksum_begin(const void *p, size_t n) {
  (void)p;
  (void)n;
  if (door->checksum_begin)
    door->checksum_begin();
  vain_leave();
  access_scope_begin();
}

EXPORT void tidemark_checksum_end(int valid) {
  access_scope_end(!valid);
  if (door->checksum_end)
    door->checksum_end(valid);
}

EXPORT void tidemark_ignore_begin(void) {
  vain_leave();
  thread_current()->ignores++;
}

EXPORT void tidemark_ignore_end(void) {
  vain_leave();
  if (thread_current()->ignores > 0 && --thread_current()->ignores == 0)
    access_ignored();
}

EXPORT void tidemark_assert_failed(const char *expression, const char *file, int line,
                                   const char *function) {
  stop_with(STOP_ASSERTION, program_site(file, line, function), "%s", expression);
}

EXPORT unsigned tidemark_choose(unsigned count) {
  if (count < 2)
    return 0;
  if (!ordinary.on || !fiber_current())
    stop_refuse("tidemark_choose with another model than sc and tso");
  return turn_choose(count);
}

/* Names that programs for verifiers use. */
EXPORT void __VERIFIER_assume(int condition);
EXPORT bool __VERIFIER_nondet_bool(void);

void __VERIFIER_assume(int condition) {
  tidemark_assume(condition);
}

bool __VERIFIER_nondet_bool(void) {
  return tidemark_choose(2);
}

EXPORT void tidemark_assume_failed(void) {
  turn_leave_out();
}
