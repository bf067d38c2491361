/* The table of synchronisation objects and what all their operations share. */
#include "base/hash.h"
#include "event/window.h"
#include "process/virtual_clock.h"
#include "process/world.h"
#include "thread/sync_internal.h"
#include <errno.h>
#include <limits.h>
#include <string.h>

#define BUCKETS_INITIAL 64

/* Goes back with the program. */
static struct {
  struct sync_object **buckets;
  size_t bucket_count, count; /* bucket_count is a power of two */
  struct sync_object *first, *last;
} table;

void sync_init(void) {
  world_include(&table, sizeof table);
  sync_keys_init();
  sync_semaphore_init();
  sync_channel_init();
  sync_file_init();
}

static size_t bucket_of(const void *address, enum sync_kind kind) {
  return hash_u64((uint64_t)kind + 1, (uintptr_t)address) & (table.bucket_count - 1);
}

static void grow(void) {
  size_t count = table.bucket_count ? table.bucket_count * 4 : BUCKETS_INITIAL;
  table.buckets = world_alloc(count * sizeof *table.buckets);
  table.bucket_count = count;
  for (struct sync_object *o = table.first; o; o = o->next) {
    size_t b = bucket_of(o->address, o->kind);
    o->chain = table.buckets[b];
    table.buckets[b] = o;
  }
}

static struct sync_object *add(const void *address, enum sync_kind kind, size_t bytes) {
  if (table.count >= table.bucket_count)
    grow();
  if (!window_has((uintptr_t)address)) /* a wild pointer faults even if the bytes do not matter */
    (void)*(const volatile char *)address;
  struct sync_object *o = world_alloc(bytes);
  o->address = address;
  o->kind = kind;
  o->waiters.object = o;
  size_t b = bucket_of(address, kind);
  o->chain = table.buckets[b];
  table.buckets[b] = o;
  if (table.last)
    table.last->next = o;
  else
    table.first = o;
  table.last = o;
  table.count++;
  return o;
}

/* Variables of libraries that machines share are swapped when another machine goes on: at one
 * address each has an object of its own. */
static int machine_of(const void *address) {
  int machine = sync_on_host() ? 0 : thread_current()->machine;
  return machine && world_is_shared(address) ? machine : 0;
}

void *sync_find(const void *address, enum sync_kind kind) {
  if (!table.bucket_count)
    return NULL;
  int machine = machine_of(address);
  struct sync_object *o = table.buckets[bucket_of(address, kind)];
  while (o && !(o->address == address && o->kind == kind && o->machine == machine))
    o = o->chain;
  return o;
}

void *sync_get(const void *address, enum sync_kind kind, size_t bytes) {
  struct sync_object *o = sync_find(address, kind);
  if (!o) {
    o = add(address, kind, bytes);
    o->machine = machine_of(address);
  }
  return o;
}

void sync_forget(void *object, size_t bytes) {
  memset((char *)object + sizeof(struct sync_object), 0, bytes - sizeof(struct sync_object));
}

struct sync_object *sync_first(void) {
  return table.first;
}

uint64_t sync_read(const void *p, int size) {
  if (window_has((uintptr_t)p))
    return thread_memory.peek(p, size);
  uint64_t value = 0;
  memcpy(&value, p, (size_t)size);
  return value;
}

void sync_write(void *p, uint64_t value, int size) {
  if (!window_has((uintptr_t)p))
    memcpy(p, &value, (size_t)size);
}

void sync_enter(enum sync_instruction i, const void *object) {
  sync_enter_as(i, object, OPERATION_LOCK_OTHER);
}

void sync_give(void *to, const void *from, size_t bytes) {
  if (sync_on_host())
    memcpy(to, from, bytes);
  else
    thread_memory.give(to, from, bytes);
}

void sync_enter_as(enum sync_instruction i, const void *object, enum operation_lock how) {
  if (sync_on_host())
    return;
  if (!thread_at(object, NULL, how == OPERATION_LOCK_LOOK ? OPERATION_LOCK_OTHER : how))
    thread_at_lock(object, how);
  if (i == SYNC_LOCKED)
    thread_memory.full_fence();
  thread_memory.synchronise();
}

void sync_attempts(void) {
  thread_memory.full_fence();
}

static bool is_held(const void *object, const struct thread *t) {
  const struct sync_object *mutex = sync_find(object, SYNC_MUTEX);
  if (mutex && sync_mutex_blocks(mutex, t))
    return true;
  const struct sync_object *spin = sync_find(object, SYNC_SPIN);
  return spin && sync_spin_owner(spin);
}

bool sync_blocks(const struct operation *o) {
  const void *object = (const void *)o->address;
  const struct thread *t = thread_by_id(o->thread);
  if (o->lock == OPERATION_LOCK_JOIN)
    return ((const struct thread *)object)->state != THREAD_DONE;
  return o->lock == OPERATION_LOCK_ACQUIRE && is_held(object, t);
}

bool sync_fails(const struct operation *o) {
  const void *object = (const void *)o->address;
  const struct thread *other = thread_by_id(o->thread)->tries_to_join;
  if (other && object == other)
    return other->state != THREAD_DONE;
  const struct sync_object *rwlock = sync_find(object, SYNC_RWLOCK);
  const struct sync_object *semaphore = sync_find(object, SYNC_SEMAPHORE);
  const struct sync_object *file = sync_find(object, SYNC_FILE);
  return is_held(object, thread_by_id(o->thread)) ||
         (rwlock && sync_rwlock_fails(rwlock, o->lock == OPERATION_LOCK_TRY_READ)) ||
         (semaphore && sync_semaphore_empty(semaphore)) ||
         sync_cancel_fails(thread_by_id(o->thread), object) ||
         (file && sync_file_fails(file, thread_by_id(o->thread))) ||
         (sync_find(object, SYNC_CHANNEL) && sync_channel_fails(thread_by_id(o->thread)));
}

void sync_settle(struct operation *o) {
  const void *object = (const void *)o->address;
  if (o->kind != OPERATION_LOCK)
    return;
  const struct thread *t = thread_by_id(o->thread);
  const struct sync_object *mutex = sync_find(object, SYNC_MUTEX);
  const struct sync_object *spin = sync_find(object, SYNC_SPIN);
  bool held = (mutex && sync_mutex_owner(mutex) == t) || (spin && sync_spin_owner(spin) == t);
  bool ends = object == t; /* the thread itself */
  if (o->lock == OPERATION_LOCK_RELEASE && !o->also && !held && !ends)
    o->lock = OPERATION_LOCK_OTHER; /* nobody may ever have used it */
  bool other = o->lock == OPERATION_LOCK_OTHER || o->lock == OPERATION_LOCK_SETUP;
  o->found_free = other && !is_held(object, NULL);
}

void sync_not_held(const char *what, const struct thread *holder) {
  if (!thread_strategy.strict)
    return;
  if (holder)
    stop_with(STOP_WRONG_UNLOCK, NULL, "this %s is held by thread %d, not by thread %d", what,
              holder->id, thread_current()->id);
  stop_with(STOP_WRONG_UNLOCK, NULL, "nobody holds this %s", what);
}

void sync_wake_all(struct thread_queue *q) {
  while (q->first)
    thread_wake(q->first);
}

int sync_deadline(clockid_t clock, const struct timespec *time, unsigned long *deadline) {
  if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC)
    return EINVAL;
  if (time->tv_nsec < 0 || time->tv_nsec >= 1000000000)
    return EINVAL;
  *deadline = 1; /* long ago; 0 would be never */
  if (time->tv_sec < 0)
    return 0;
  unsigned long ns;
  if (__builtin_mul_overflow((unsigned long)time->tv_sec, 1000000000ul, &ns) ||
      __builtin_add_overflow(ns, (unsigned long)time->tv_nsec, &ns))
    ns = ULONG_MAX;
  unsigned long now = clock_read(clock);
  if (ns > now && __builtin_add_overflow(ns - now, thread_virtual_time(), deadline))
    *deadline = ULONG_MAX;
  return 0;
}
