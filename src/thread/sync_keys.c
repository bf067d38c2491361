/* Keys: values of a thread (pthread_setspecific), and their destructors at its end. */
#include "process/machine_state.h"
#include "process/world.h"
#include "thread/sync_internal.h"
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <string.h>

#define KEYS_MAX 1024 /* PTHREAD_KEYS_MAX */

struct key {
  unsigned generation; /* odd: in use.  A value belongs to the generation it was set in. */
  void (*destructor)(void *);
};

struct value {
  unsigned generation;
  void *pointer;
};

struct values {
  unsigned count;
  struct value data[];
};

/* Goes back with the program. */
static struct {
  struct key *keys;
  unsigned used; /* no key at or above was ever created */
  struct values *host;
} state;

/* Constructors of libraries (libpmem's, say) create keys before sync_keys_init. */
static void have_keys(void) {
  if (!state.keys)
    state.keys = world_alloc(KEYS_MAX * sizeof *state.keys);
}

void sync_keys_init(void) {
  world_include(&state, sizeof state);
  have_keys();
}

static bool exists(pthread_key_t key) {
  return key < state.used && state.keys[key].generation % 2;
}

static struct values *current_values(void) {
  return sync_on_host() ? state.host : thread_current()->keys;
}

static struct value *value_for_writing(pthread_key_t key) {
  struct values *v = current_values();
  if (!v || key >= v->count) {
    unsigned count = (key / 16 + 1) * 16;
    struct values *wider = world_alloc(sizeof *wider + count * sizeof wider->data[0]);
    if (v)
      memcpy(wider->data, v->data, v->count * sizeof v->data[0]);
    wider->count = count;
    if (sync_on_host())
      state.host = wider;
    else
      thread_current()->keys = wider;
    v = wider;
  }
  return &v->data[key];
}

INTERPOSE int pthread_key_create(pthread_key_t *key, void (*destructor)(void *)) {
  have_keys();
  machine_changed_shared();
  unsigned i = 0;
  while (i < state.used && state.keys[i].generation % 2)
    i++;
  if (i == KEYS_MAX)
    return EAGAIN;
  if (i == state.used)
    state.used++;
  state.keys[i].generation++;
  state.keys[i].destructor = destructor;
  sync_give(key, &i, sizeof *key);
  return 0;
}

INTERPOSE int pthread_key_delete(pthread_key_t key) {
  if (!exists(key))
    return EINVAL;
  machine_changed_shared();
  state.keys[key].generation++;
  return 0;
}

INTERPOSE void *pthread_getspecific(pthread_key_t key) {
  struct values *v = current_values();
  if (!v || key >= v->count || v->data[key].generation != state.keys[key].generation)
    return NULL;
  return v->data[key].pointer;
}

INTERPOSE int pthread_setspecific(pthread_key_t key, const void *pointer) {
  if (!exists(key))
    return EINVAL;
  struct value *v = value_for_writing(key);
  if (v->pointer != pointer && fiber_current() && thread_memory.unseen)
    thread_memory.unseen();
  v->generation = state.keys[key].generation;
  v->pointer = (void *)(uintptr_t)pointer;
  return 0;
}

/* One round over all keys; false if there was nothing to destroy. */
static bool run_destructors(struct thread *t) {
  bool any = false;
  for (unsigned i = 0; t->keys && i < ((struct values *)t->keys)->count; i++) {
    struct value *v = &((struct values *)t->keys)->data[i];
    void *pointer = v->pointer;
    if (!pointer || v->generation != state.keys[i].generation)
      continue;
    v->pointer = NULL;
    if (!state.keys[i].destructor)
      continue;
    any = true;
    fiber_call((void *)state.keys[i].destructor, (long)pointer, 0, 0);
  }
  return any;
}

void sync_keys_thread_exit(struct thread *t) {
  for (int round = 0; round < PTHREAD_DESTRUCTOR_ITERATIONS; round++)
    if (!run_destructors(t))
      return;
}

/* Names that older libraries were linked with. */
INTERPOSE int __pthread_key_create(pthread_key_t *key, void (*destructor)(void *)) {
  return pthread_key_create(key, destructor);
}

INTERPOSE void *__pthread_getspecific(pthread_key_t key) {
  return pthread_getspecific(key);
}

INTERPOSE int __pthread_setspecific(pthread_key_t key, const void *pointer) {
  return pthread_setspecific(key, pointer);
}
