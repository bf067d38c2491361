// A failure in explored schedules is told by where each thread stood; what came later is left out.
// RUN: %tidemark_cc -O1 -g %s -o %t -pthread
// RUN: %tidemark check --schedule=all --json=%t.json %t > %t.txt 2>&1; test $? = 1
// RUN: %FileCheck %s < %t.txt
// RUN: %tidemark replay %t.json > %t.txt 2>&1; test $? = 1
// RUN: %FileCheck %s < %t.txt
#include <immintrin.h>
#include <pthread.h>
#include <stddef.h>
#include <tidemark.h>

struct root {
  _Alignas(64) volatile long data;
  _Alignas(64) volatile long valid;
  _Alignas(64) volatile long other;
};

static void *publish(void *p) {
  struct root *r = p;
  r->data = 1;
  r->valid = 1;
  _mm_clflush((void *)&r->valid);
  _mm_clflush((void *)&r->data);
  return NULL;
}

static void *another(void *p) {
  struct root *r = p;
  r->other = 1;
  _mm_clflush((void *)&r->other);
  return NULL;
}

int main(void) {
  struct root *r = tidemark_region("root", sizeof *r);
  if (tidemark_failures()) {
    tidemark_assert(!r->valid || r->data);
    return 0;
  }
  pthread_t t;
  pthread_create(&t, NULL, another, r);
  publish(r);
  pthread_join(t, NULL);
  return 0;
}

// CHECK: assertion failed: !r->valid || r->data
// CHECK: note: the power failed before this `clflush`
// CHECK: thread 0 stood before the flush at {{.*}}stands.c:22
// CHECK-NEXT: thread 1 stood before the store at {{.*}}stands.c:29
// CHECK: the threads took turns in this order
// CHECK-NOT: thread 1
// CHECK: drains the store at {{.*}}stands.c:21
// CHECK-NOT: took turns
