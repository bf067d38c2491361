/* <tidemark.h> in a normal run: regions are ordinary zeroed memory, a failed assertion aborts, the
 * rest does nothing.
 *
 * State belongs to the process and is guarded by one lock; regions live until the process ends. */
#include "abi/abi.h"
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <tidemark.h>

#define CACHE_LINE 64

struct region {
  struct region *next;
  void *memory;
  char name[];
};

int ABI_BARRIER_WAIT(pthread_barrier_t *barrier);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct region *regions;

static struct region *region_find(const char *name) {
  for (struct region *r = regions; r; r = r->next)
    if (strcmp(r->name, name) == 0)
      return r;
  return NULL;
}

static struct region *region_create(const char *name, size_t bytes) {
  size_t length = strlen(name) + 1;
  struct region *r = malloc(sizeof *r + length);
  if (!r)
    return NULL;
  r->memory = mmap(NULL, bytes ? bytes : 1, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (r->memory == MAP_FAILED) {
    free(r);
    return NULL;
  }
  memcpy(r->name, name, length);
  r->next = regions;
  return regions = r;
}

void *tidemark_region(const char *name, size_t bytes) {
  pthread_mutex_lock(&lock);
  struct region *r = region_find(name);
  if (!r)
    r = region_create(name, bytes);
  pthread_mutex_unlock(&lock);
  return r ? r->memory : NULL;
}

int ABI_BARRIER_WAIT(pthread_barrier_t *barrier) {
  return pthread_barrier_wait(barrier);
}

void *tidemark_alloc(size_t bytes) {
  void *p;
  if (posix_memalign(&p, CACHE_LINE, bytes ? bytes : 1))
    return NULL;
  return memset(p, 0, bytes);
}

void tidemark_free(void *p) {
  free(p);
}

int tidemark_failures(void) {
  return 0;
}

int tidemark_machine(void) {
  return 0;
}

int tidemark_machines(void) {
  return 1;
}

int tidemark_machine_failed(int machine) {
  (void)machine;
  return 0;
}

int tidemark_mutex_owner_failed(pthread_mutex_t *mutex) {
  (void)mutex;
  return 0;
}

void tidemark_on_poison(void (*handler)(void *address)) {
  (void)handler;
}

void tidemark_outcome(const char *format, ...) {
  (void)format;
}

void tidemark_checksum_begin(const void *p, size_t n) {
  (void)p;
  (void)n;
}

void tidemark_checksum_end(int valid) {
  (void)valid;
}

void tidemark_ignore_begin(void) {}

void tidemark_ignore_end(void) {}

void tidemark_assert_failed(const char *expression, const char *file, int line,
                            const char *function) {
  fflush(stdout);
  fprintf(stderr, "%s:%d: %s: tidemark_assert(%s) failed\n", file, line, function, expression);
  abort();
}

unsigned tidemark_choose(unsigned count) {
  (void)count;
  return 0;
}

/* Names that programs for verifiers use. */
void __VERIFIER_assume(int condition);
bool __VERIFIER_nondet_bool(void);

void __VERIFIER_assume(int condition) {
  tidemark_assume(condition);
}

bool __VERIFIER_nondet_bool(void) {
  return tidemark_choose(2);
}

/* This run is one the program says cannot happen; outside the checker there is nothing to prune. */
void tidemark_assume_failed(void) {}
