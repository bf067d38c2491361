/* Threads without a program: what thread.c and sync_*.c need from the rest of the runtime, made
 * simple.  Included once by each runtime_thread*.c and runtime_sync*.c test, which are linked with
 * src/base, src/event, src/thread and {fiber,stop,host}.c and fiber_switch.S of src/process only.
 *
 * run_threads(fn) calls fn as the body of machine 0's main thread in a fresh world and returns how
 * the execution ended. */
#ifndef TESTS_UNIT_RUNTIME_THREAD_STAND_INS_H
#define TESTS_UNIT_RUNTIME_THREAD_STAND_INS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/mem.h"
#include "process/caller.h"
#include "process/image.h"
#include "process/machine_state.h"
#include "process/object.h"
#include "process/unwind.h"
#include "process/virtual_clock.h"
#include "process/world.h"
#include "process/world_internal.h"
#include "thread/thread.h"
#include "thread/tls.h"
#include <dlfcn.h>
#include <string.h>

static struct {
  void *p;
  size_t bytes;
  void *sealed;
} included[32];
static int included_count;
static int fences;        /* calls of thread_memory.full_fence */
static struct stop ended; /* how the last execution ended */

void *world_alloc(size_t bytes) {
  return mem_alloc(bytes);
}

void world_include(void *p, size_t bytes) {
  assert_true(included_count < 32);
  included[included_count].p = p;
  included[included_count].bytes = bytes;
  included_count++;
}

static void no_drain(void) {}

static bool no_lock_load(const void *p, int size, uint64_t *value) {
  (void)p, (void)size, (void)value;
  return false;
}

static bool no_lock_store(void *p, uint64_t value, int size) {
  (void)p, (void)value, (void)size;
  return false;
}

void world_track(uintptr_t low, uintptr_t high) {
  (void)low, (void)high;
}

/* A variable of a library that machines share, as it were. */
static const void *shared_variable;

bool world_is_shared(const void *p) {
  return p == shared_variable;
}

static void count_fence(void) {
  fences++;
}

static void no_synchronise(void) {}

void machine_changed_shared(void) {}

static void no_order(int event_kind, const void *object, uint32_t detail) {
  (void)event_kind, (void)object, (void)detail;
}

static void no_observe_machine(int machine) {
  (void)machine;
}

static uint64_t peek(const void *p, int size) {
  uint64_t value = 0;
  memcpy(&value, p, (size_t)size);
  return value;
}

static void give(void *to, const void *from, size_t bytes) {
  memcpy(to, from, bytes);
}

void tls_run_destructors(void) {}

void tls_thread_exit(void) {}

/* All clocks show the same, and looking takes no time. */
static uint64_t clock_now;
void (*clock_on_pause)(uint64_t ns);

uint64_t clock_look(void) {
  return clock_now;
}

uint64_t clock_look_common(void) {
  return clock_now;
}

uint64_t clock_time(void) {
  return clock_now;
}

uint64_t clock_read(clockid_t id) {
  (void)id;
  return clock_now;
}

void clock_advance(uint64_t ns) {
  clock_now += ns;
}

void clock_pass(uint64_t ns) {
  clock_now += ns;
}

uint64_t clock_random(void) {
  return 4;
}

bool image_cancels;

_Noreturn void image_exit(int status) {
  stop_finished(status);
}

void *caller_real(const char *name) {
  return dlsym(RTLD_NEXT, name);
}

void object_each(void (*fn)(void *context, const struct object *o), void *context) {
  (void)fn, (void)context;
}

void last_words_note(struct stop *s) {
  (void)s;
}

int unwind_calls(uintptr_t fp, uintptr_t *pcs, int max) {
  return fiber_backtrace(fiber_current(), fp, pcs, max);
}

/* The world as it was after thread_init. */
static void fresh_world(void) {
  if (included_count == 0) {
    thread_init();
    for (int i = 0; i < included_count; i++) {
      included[i].sealed = mem_alloc(included[i].bytes);
      memcpy(included[i].sealed, included[i].p, included[i].bytes);
    }
  }
  for (int i = 0; i < included_count; i++)
    memcpy(included[i].p, included[i].sealed, included[i].bytes);
  memset(&thread_strategy, 0, sizeof thread_strategy);
  thread_memory = (struct thread_memory){.full_fence = count_fence,
                                         .synchronise = no_synchronise,
                                         .observe_machine = no_observe_machine,
                                         .drain_all = no_drain,
                                         .lock_load = no_lock_load,
                                         .lock_store = no_lock_store,
                                         .peek = peek,
                                         .give = give,
                                         .order = no_order};
  fences = 0;
  clock_now = 0;
}

static void main_entry(void *body) {
  fiber_call(body, 0, 0, 0);
  stop_finished(0);
}

static enum stop_kind go_on(void) {
  thread_run(&ended);
  return ended.kind;
}

/* With several machines: the end of one program is not the end of the execution. */
static __attribute__((unused)) enum stop_kind go_on_machines(void) {
  for (;;) {
    if (go_on() != STOP_FINISHED)
      return ended.kind;
    thread_end_machine(thread_current()->machine);
    if (!thread_live())
      return STOP_FINISHED;
  }
}

static __attribute__((unused)) enum stop_kind run_threads(void (*body)(void)) {
  fresh_world();
  thread_create_main(0, main_entry, (void *)body);
  return go_on();
}

/* In a fiber a failed cmocka assertion would jump to the host's stack: end the execution instead. */
#define EXPECT(e) \
  do { \
    if (!(e)) \
      stop_with(STOP_ASSERTION, NULL, "%s:%d: %s", __FILE__, __LINE__, #e); \
  } while (0)

#define assert_stop(kind_, body) \
  do { \
    if (run_threads(body) != (kind_)) \
      fail_msg("stop %d: %s", ended.kind, ended.message); \
  } while (0)

#endif
