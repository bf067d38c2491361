// Explored schedules: an instruction of code that was not instrumented is a step, and what threads
// make of it is what they make of the same accesses with hooks.
// RUN: %clang -O1 -g -fPIC -c %S/Inputs/plain.c -o %t.plain.o
// RUN: %tidemark_cc -g %s %t.plain.o -o %t.bypass
// RUN: %tidemark_cc -g -DHOOKS %s -o %t.hooks
// RUN: %tidemark check --schedule=all --json=%t.bypass.json %t.bypass
// RUN: %tidemark check --schedule=all --json=%t.hooks.json %t.hooks
// RUN: grep -o '"[0-9]* [0-9]* [0-9]* [0-9]* [0-9]*"' %t.bypass.json | sort > %t.bypass.txt
// RUN: grep -o '"[0-9]* [0-9]* [0-9]* [0-9]* [0-9]*"' %t.hooks.json | sort > %t.hooks.txt
// RUN: diff %t.bypass.txt %t.hooks.txt && test "$(wc -l < %t.hooks.txt)" = 130
#include <immintrin.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <tidemark.h>

#ifdef HOOKS
static uint64_t plain_load(const uint64_t *p) {
  return *p;
}
static void plain_store(uint64_t *p, uint64_t value) {
  *p = value;
}
static uint64_t plain_exchange_add(uint64_t *p, uint64_t value) {
  return __atomic_fetch_add(p, value, __ATOMIC_SEQ_CST);
}
static void plain_copy(void *to, const void *from, size_t bytes) {
  memcpy(to, from, bytes);
}
#else
uint64_t plain_load(const uint64_t *p);
void plain_store(uint64_t *p, uint64_t value);
uint64_t plain_exchange_add(uint64_t *p, uint64_t value);
void plain_copy(void *to, const void *from, size_t bytes);
#endif

static uint64_t *p;

static void *other(void *unused) {
  plain_store(p + 8, 1);
  p[9] = 1;
  plain_exchange_add(p, 1);
  plain_copy(p + 16, p + 8, 16);
  return unused;
}

int main(void) {
  pthread_t t;
  p = tidemark_region("r", 4096);
  if (tidemark_failures()) {
    tidemark_outcome("%lu %lu %lu %lu %lu", plain_load(p), p[8], p[9], p[16], p[17]);
    return 0;
  }
  pthread_create(&t, NULL, other, NULL);
  p[16] = 5;
  plain_store(p + 8, 2);
  plain_exchange_add(p, 2);
  plain_copy(p + 24, p + 16, 16);
  _mm_clflush(p + 8);
  pthread_join(t, NULL);
  return 0;
}
