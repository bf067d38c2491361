/* <tidemark.h> as a checked program sees it. */
#include "runtime/access.h"
#include "runtime/allocator.h"
#include "runtime/program.h"
#include "runtime/search.h"
#include "runtime/session.h"
#include "runtime/thread.h"
#include "tidemark.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#define EXPORT __attribute__((visibility("default")))
#define OUTCOME_MAX 4096

EXPORT void *tidemark_region(const char *name, size_t bytes) {
  struct region *r = space_region(name, bytes);
  return r ? (void *)r->base : NULL;
}

EXPORT int tidemark_failures(void) {
  int level = session_level();
  return level ? (int)search_observe_fact(FACT_FAILURES, (uint64_t)level) : 0;
}

EXPORT void *tidemark_alloc(size_t bytes) {
  uintptr_t p = allocator_take(bytes, tidemark_failures());
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
  return 1;
}

EXPORT int tidemark_machine_failed(int machine) {
  (void)machine;
  return 0;
}

EXPORT void tidemark_on_poison(void (*handler)(void *)) {
  (void)handler;
}

EXPORT void tidemark_outcome(const char *format, ...) {
  char text[OUTCOME_MAX];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  session_outcome(text);
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

EXPORT void tidemark_ignore_begin(void) {
}

EXPORT void tidemark_ignore_end(void) {
}

EXPORT void tidemark_assert_failed(const char *expression, const char *file, int line,
                                   const char *function) {
  stop_with(STOP_ASSERTION, program_site(file, line, function), "%s", expression);
}

EXPORT void tidemark_assume_failed(void) {
  stop_with(STOP_ASSUME, NULL, "assumption");
}
