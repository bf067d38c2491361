/* Thread-local variables of programs built with -femulated-tls.
 *
 * The compiler describes each variable by a control object and calls __emutls_get_address for its
 * address in the calling thread.  Per thread there is one array of addresses, indexed by a number
 * that the control object gets at its first use; it is freed when the thread ends. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

/* Laid out by the compiler. */
struct control {
  size_t size, alignment;
  union {
    uintptr_t index; /* 0 = not used yet */
    void *address;
  } where;
  const void *initial; /* NULL = zeroes */
};

struct variables {
  uintptr_t count;
  void *address[];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static uintptr_t last_index;
static __thread struct variables *mine __attribute__((tls_model("initial-exec")));

/* Two variables of libstdc++ that std::call_once sets directly; libstdc++ itself was built without
 * emulation, so their address is that of the native ones.  Weak: C programs have none. */
extern __thread void *once_callable __asm__("_ZSt15__once_callable") __attribute__((weak));
extern __thread void (*once_call)(void) __asm__("_ZSt11__once_call") __attribute__((weak));

EXPORT struct control once_callable_control __asm__("__emutls_v._ZSt15__once_callable") = {
    sizeof(void *), sizeof(void *), {0}, NULL};
EXPORT struct control once_call_control __asm__("__emutls_v._ZSt11__once_call") = {
    sizeof(void *), sizeof(void *), {0}, NULL};

static void out_of_memory(void) {
  fputs("tidemark: out of memory for thread-local variables\n", stderr);
  abort();
}

/* Destructors of other keys may still use thread-local variables: go last. */
static void free_variables(void *argument) {
  struct variables *v = argument;
  if (v->count && v->address[0] == NULL) {
    v->address[0] = v; /* seen once */
    pthread_setspecific(key, v);
    return;
  }
  for (uintptr_t i = 1; i < v->count; i++)
    free(v->address[i]);
  free(v);
  mine = NULL;
}

static void create_key(void) {
  if (pthread_key_create(&key, free_variables))
    abort();
}

static uintptr_t index_of(struct control *control) {
  uintptr_t index = __atomic_load_n(&control->where.index, __ATOMIC_ACQUIRE);
  if (index)
    return index;
  pthread_once(&once, create_key);
  pthread_mutex_lock(&lock);
  index = control->where.index;
  if (!index) {
    index = ++last_index;
    __atomic_store_n(&control->where.index, index, __ATOMIC_RELEASE);
  }
  pthread_mutex_unlock(&lock);
  return index;
}

static struct variables *grow(struct variables *v, uintptr_t index) {
  uintptr_t old = v ? v->count : 0, count = index + 32;
  v = realloc(v, sizeof *v + count * sizeof *v->address);
  if (!v)
    out_of_memory();
  memset(v->address + old, 0, (count - old) * sizeof *v->address);
  v->count = count;
  pthread_setspecific(key, v);
  return mine = v;
}

static void *create(const struct control *control) {
  size_t alignment = control->alignment < sizeof(void *) ? sizeof(void *) : control->alignment;
  void *memory;
  if (posix_memalign(&memory, alignment, control->size ? control->size : 1))
    out_of_memory();
  if (control->initial)
    memcpy(memory, control->initial, control->size);
  else
    memset(memory, 0, control->size);
  return memory;
}

EXPORT void *__emutls_get_address(struct control *control) {
  if (__builtin_expect(control == &once_callable_control, 0))
    return &once_callable;
  if (__builtin_expect(control == &once_call_control, 0))
    return &once_call;
  uintptr_t index = index_of(control);
  struct variables *v = mine;
  if (!v || index >= v->count)
    v = grow(v, index);
  void **address = &v->address[index];
  if (!*address)
    *address = create(control);
  return *address;
}
