#include "base/check.h"
#include "base/hash.h"
#include "process/image.h"
#include "process/machine_state.h"
#include "process/world.h"
#include "thread/sync_internal.h"
#include "thread/thread_internal.h"
#include "thread/tls.h"
#include <string.h>

/* Stacks of dead threads; not done at their end, because they still stand on them.  Where schedules of
 * ordinary memory are compared a stack must not be where it is because somebody else has ended. */
static void bury(void) {
  if (thread_strategy.at)
    return;
  struct thread *t = sched.dead;
  for (sched.dead = NULL; t;) {
    struct thread *next = t->ready_next;
    t->ready_next = NULL;
    fiber_destroy(&t->fiber);
    t = next;
  }
}

/* One that is not born yet looks like one that has ended and was joined. */
static void add_unborn(void) {
  WORLD_ROOM(sched.table, sched.count, sched.capacity);
  struct thread *t = world_alloc(sizeof *t);
  t->id = sched.count;
  t->state = THREAD_DONE;
  t->joined = true;
  t->joiner = -1;
  sched.table[sched.count++] = t;
}

void thread_expect(int id) {
  while (sched.count <= id)
    add_unborn();
}

static struct thread *add_thread(int machine, int id) {
  CHECK(machine >= 0 && machine < MACHINES_MAX, "machine %d", machine);
  bury();
  if (sched.current)
    thread_settle(); /* no matter how long it was alone */
  id = id < 0 ? sched.count : id;
  thread_expect(id);
  struct thread *t = sched.table[id];
  CHECK(t->joined && !t->descent, "thread %d is born twice", id);
  t->machine = machine;
  t->next.thread = (uint16_t)id;
  t->state = THREAD_READY;
  t->joined = false;
  t->descent = 1;
  sched.live++;
  sched.live_on[machine]++;
  thread_ready_append(t);
  if (thread_strategy.woken)
    thread_strategy.woken(t);
  return t;
}

static uint64_t own_number(const struct thread *t) {
  return t->descent > 1 ? t->descent : (uint64_t)t->id;
}

void thread_seed(struct thread *t, uint64_t seed) {
  t->seed = seed;
  t->random.state = hash_u64(hash_u64(1, own_number(t)), seed);
}

static void begin_numbers(struct thread *t, uint64_t seed) {
  thread_seed(t, seed);
  t->system.state = hash_u64(2, own_number(t));
}

struct thread *thread_create_main(int machine, void (*entry)(void *), void *argument) {
  CHECK(sched.count < THREADS_MAX, "too many machines");
  struct thread *t = add_thread(machine, -1);
  begin_numbers(t, 1);
  fiber_create(&t->fiber, THREAD_STACK_BYTES, entry, argument);
  return t;
}

static void run_start(void *argument) {
  struct thread *t = argument;
  thread_exit((void *)fiber_call((void *)t->start, (long)t->start_argument, 0, 0));
}

struct thread *thread_create(int id, size_t stack_bytes, void *(*start)(void *), void *argument) {
  if (sched.live >= THREADS_MAX || sched.count >= THREADS_EVER_MAX || id >= THREADS_EVER_MAX ||
      !fiber_has_room(stack_bytes, id))
    return NULL;
  struct thread *t = add_thread(sched.current->machine, id);
  if (thread_strategy.birth)
    t->descent = thread_descent(sched.current->descent, ++sched.current->children);
  begin_numbers(t, sched.current->seed);
  t->start = start;
  t->start_argument = argument;
  memcpy(t->name, sched.current->name, sizeof t->name);
  t->signals_blocked = sched.current->signals_blocked;
  fiber_create_in(&t->fiber, stack_bytes, id, run_start, t);
  return t;
}

/* Takes the thread out of everything it takes part in. */
static void end_thread(struct thread *t) {
  machine_changed_shared(); /* its stack will be somebody else's */
  if (t->state == THREAD_WAITING)
    thread_stop_waiting(t);
  else if (t != sched.current)
    thread_ready_remove(t);
  t->state = THREAD_DONE;
  sched.live--;
  sched.live_on[t->machine]--;
  t->ready_next = sched.dead;
  sched.dead = t;
}

void thread_exit(void *result) {
  struct thread *self = sched.current;
  tls_run_destructors(); /* in glibc's order */
  sync_keys_thread_exit(self);
  tls_thread_exit();
  if (sched.live_on[self->machine] == 1)
    image_exit(0);
  sync_mutex_thread_ends(self);
  if (!thread_at(self, NULL, OPERATION_LOCK_RELEASE) && thread_strategy.at_lock)
    thread_strategy.at_lock(self->mutexes ? NULL : self, OPERATION_LOCK_RELEASE);
  thread_memory.full_fence();
  self->result = result;
  sync_mutex_thread_exit(self);
  end_thread(self);
  struct thread *joiner = thread_by_id(self->joiner);
  if (joiner)
    thread_wake(joiner);
  thread_leave();
  __builtin_unreachable();
}

static void end_machine(int machine) {
  for (int i = 0; i < sched.count; i++) {
    struct thread *t = sched.table[i];
    if (t->machine == machine && t->state != THREAD_DONE)
      end_thread(t);
  }
}

bool thread_holds_mutexes(int machine) {
  for (int i = 0; i < sched.count; i++)
    if (sched.table[i]->machine == machine && sched.table[i]->mutexes)
      return true;
  return false;
}

void thread_end_machine(int machine) {
  end_machine(machine);
  for (int i = 0; i < sched.count; i++)
    if (sched.table[i]->machine == machine)
      sync_mutex_thread_exit(sched.table[i]);
  sync_file_machine_gone(machine);
}

void thread_fail_machine(int machine) {
  end_machine(machine);
  for (int i = 0; i < sched.count; i++)
    if (sched.table[i]->machine == machine)
      sync_mutex_machine_failed(sched.table[i]);
  sync_rwlock_machine_failed(machine);
  sync_file_machine_gone(machine);
  thread_settle();
  if (!fiber_current() && sched.current && sched.current->machine == machine)
    sched.paused = false;
}

void thread_kill_machine(int machine) {
  thread_fail_machine(machine);
  if (fiber_current() && sched.current->machine == machine)
    thread_leave();
}
