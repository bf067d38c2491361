/* <tidemark.h> as a checked program sees it. */
#include "runtime/access.h"
#include "runtime/allocator.h"
#include "runtime/cluster.h"
#include "runtime/heap.h"
#include "runtime/program.h"
#include "runtime/schedule.h"
#include "runtime/search.h"
#include "runtime/session.h"
#include "runtime/thread.h"
#include "tidemark.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#define EXPORT __attribute__((visibility("default")))
#define OUTCOME_USUAL 4096

EXPORT void *tidemark_region(const char *name, size_t bytes) {
  struct region *r = space_region(name, bytes);
  return r ? (void *)r->base : NULL;
}

EXPORT int tidemark_failures(void) {
  for (int m = 0; session_is_cxl() && m < cluster.options.machines; m++)
    access_observe_machine(m);
  int failures = session_failures();
  return session_is_cxl() ? failures : (int)search_observe_fact(FACT_FAILURES, (uint64_t)failures);
}

EXPORT void *tidemark_alloc(size_t bytes) {
  int part = session_is_cxl() ? thread_current()->machine : tidemark_failures();
  if (schedule_explores()) /* the order of allocations shows in their addresses */
    schedule_point(OPERATION_LOCK, (void *)(uintptr_t)allocator_take, 1, false, NULL);
  uintptr_t p = allocator_take(bytes, part, session_allocated(part));
  if (!p)
    errno = ENOMEM;
  return (void *)p;
}

EXPORT void tidemark_free(void *p) {
  if (p && !space_region_at((uintptr_t)p))
    stop_with(STOP_ABORT, NULL, "tidemark_free of %p, which tidemark_alloc did not return", p);
}

EXPORT int tidemark_machine(void) {
  return thread_current()->machine;
}

EXPORT int tidemark_machines(void) {
  return session_is_cxl() ? cluster.options.machines : 1;
}

/* Being told is an observation: the machine may fail right before. */
EXPORT int tidemark_machine_failed(int machine) {
  if (!session_is_cxl() || machine < 0 || machine >= cluster.options.machines)
    return 0;
  access_observe_machine(machine);
  return cluster_failed(machine);
}

EXPORT void tidemark_on_poison(void (*handler)(void *)) {
  if (session_is_cxl())
    cluster_on_poison(handler);
}

static void say_outcome(const char *text) {
  if (schedule_explores()) /* the order of outcomes shows in the report */
    schedule_point(OPERATION_LOCK, (void *)(uintptr_t)session_outcome, 1, false, NULL);
  session_outcome(text);
}

/* A long one is kept in the program's memory: formatting may stop at a load in doubt. */
EXPORT void tidemark_outcome(const char *format, ...) {
  char text[OUTCOME_USUAL];
  va_list args, again;
  va_start(args, format);
  va_copy(again, args);
  int n = vsnprintf(text, sizeof text, format, args);
  va_end(args);
  if (n < (int)sizeof text) {
    say_outcome(text);
  } else {
    char *longer = heap_alloc((size_t)n + 1);
    if (!longer)
      stop_refuse("an outcome for which there is no memory");
    vsnprintf(longer, (size_t)n + 1, format, again);
    say_outcome(longer);
    heap_free(longer);
  }
  va_end(again);
}

EXPORT void tidemark_checksum_begin(const void *p, size_t n) {
  (void)p;
  (void)n;
  search_checksum_begin();
  access_scope_begin();
}

EXPORT void tidemark_checksum_end(int valid) {
  access_scope_end(!valid);
  search_checksum_end(valid);
}

EXPORT void tidemark_ignore_begin(void) {}

EXPORT void tidemark_ignore_end(void) {}

EXPORT void tidemark_assert_failed(const char *expression, const char *file, int line,
                                   const char *function) {
  stop_with(STOP_ASSERTION, program_site(file, line, function), "%s", expression);
}

EXPORT void tidemark_assume_failed(void) {
  stop_with(STOP_ASSUME, NULL, "assumption");
}
