#include "thread/tls.h"
#include "base/check.h"
#include "process/caller.h"
#include "process/fiber_tls.h"
#include "process/heap.h"
#include "process/image.h"
#include "process/machine_state.h"
#include "process/stop.h"
#include "process/world.h"
#include "thread/thread.h"
#include <stdint.h>
#include <string.h>

/* Laid down by the compiler for each thread-local variable. */
struct emutls_control {
  size_t bytes, align;
  uintptr_t index; /* 0: not used yet */
  const void *initial;
};

struct tls_destructor {
  struct tls_destructor *next;
  void (*run)(void *);
  void *object;
};

static size_t index_used; /* goes back with the program */

/* libstdc++ keeps these two in native TLS, a program built with emulated TLS asks for them here. */
#define EXPORTED __attribute__((visibility("default")))
EXPORTED struct emutls_control tls_once_callable __asm__("__emutls_v._ZSt15__once_callable");
EXPORTED struct emutls_control tls_once_call __asm__("__emutls_v._ZSt11__once_call");
struct emutls_control tls_once_callable = {.bytes = 8, .align = 8};
struct emutls_control tls_once_call = {.bytes = 8, .align = 8};

EXPORTED void *__emutls_get_address(struct emutls_control *c);

static void tls_seal(void) {
  world_include(&index_used, sizeof index_used);
}
WORLD_AT_SEAL(tls_seal)

static void *new_object(const struct emutls_control *c) {
  void *p = heap_alloc_aligned(c->align < 16 ? 16 : c->align, c->bytes);
  if (!p)
    stop_with(STOP_ABORT, NULL, "no memory for a thread-local variable");
  if (c->initial)
    memcpy(p, c->initial, c->bytes);
  else
    memset(p, 0, c->bytes);
  return p;
}

static void grow(struct fiber_tls *t, size_t count) {
  size_t room = count < 16 ? 16 : count * 2;
  void **wider = heap_alloc_zeroed(room * sizeof *wider);
  if (!wider)
    stop_with(STOP_ABORT, NULL, "no memory for thread-local variables");
  if (t->emulated) {
    memcpy(wider, t->emulated, t->emulated_count * sizeof *wider);
    heap_free(t->emulated);
  }
  t->emulated = wider;
  t->emulated_count = room;
}

void *__emutls_get_address(struct emutls_control *c) {
  if (c == &tls_once_callable || c == &tls_once_call)
    return image_once_variable((uintptr_t)__builtin_return_address(0), c == &tls_once_call);
  struct fiber_tls *t = fiber_tls_current();
  CHECK(t, "thread-local variable used before world_seal");
  if (!c->index) {
    machine_changed_shared();
    c->index = ++index_used;
  }
  if (c->index > t->emulated_count)
    grow(t, c->index);
  void **slot = &t->emulated[c->index - 1];
  if (!*slot)
    *slot = new_object(c);
  return *slot;
}

static void add_destructor(void (*run)(void *), void *object) {
  struct fiber_tls *t = fiber_tls_current();
  struct tls_destructor *d = heap_alloc(sizeof *d);
  if (!d)
    stop_with(STOP_ABORT, NULL, "no memory for a destructor");
  *d = (struct tls_destructor){t->destructors, run, object};
  t->destructors = d;
}

INTERPOSE int __cxa_thread_atexit(void (*run)(void *), void *object, void *dso);
INTERPOSE int __cxa_thread_atexit_impl(void (*run)(void *), void *object, void *dso);

int __cxa_thread_atexit_impl(void (*run)(void *), void *object, void *dso) {
  (void)dso;
  if (fiber_current())
    add_destructor(run, object);
  return 0;
}

int __cxa_thread_atexit(void (*run)(void *), void *object, void *dso) {
  return __cxa_thread_atexit_impl(run, object, dso);
}

void tls_run_destructors(void) {
  struct fiber_tls *t = fiber_tls_current();
  while (t->destructors) {
    struct tls_destructor *d = t->destructors;
    t->destructors = d->next;
    fiber_call((void *)d->run, (long)d->object, 0, 0);
    heap_free(d);
  }
}

void tls_thread_exit(void) {
  struct fiber_tls *t = fiber_tls_current();
  for (size_t i = 0; i < t->emulated_count; i++)
    if (t->emulated[i])
      thread_memory.end_local(t->emulated[i]);
  if (t->emulated)
    heap_free(t->emulated);
  t->emulated = NULL;
  t->emulated_count = 0;
}
