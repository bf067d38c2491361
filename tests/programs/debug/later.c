// Where the report has the power fail, what comes later in the same trace is not lost: it was not made yet.
// RUN: %tidemark_cc -O1 -g %s -o %t -pthread
// RUN: %tidemark check --schedule=all --json=%t.json %t > %t.txt 2>&1; test $? = 1
// RUN: %FileCheck %s < %t.txt
// RUN: %FileCheck --check-prefix=JSON %s < %t.json
#include <immintrin.h>
#include <pthread.h>
#include <stddef.h>
#include <tidemark.h>

struct root {
  _Alignas(64) volatile long data;
  _Alignas(64) volatile long valid;
};

static void *publish(void *p) {
  struct root *r = p;
  r->data = 1;
  _mm_clflush((void *)&r->data);
  r->valid = 1;
  _mm_clflush((void *)&r->valid);
  r->data = 2;
  return NULL;
}

int main(void) {
  struct root *r = tidemark_region("root", sizeof *r);
  if (tidemark_failures()) {
    long data = r->data;
    tidemark_assert(data != 1 || r->valid);
    return 0;
  }
  pthread_t t;
  pthread_create(&t, NULL, publish, r);
  pthread_join(t, NULL);
  return 0;
}

// CHECK: assertion failed: data != 1 || r->valid
// CHECK: thread 1 stood before the flush at {{.*}}later.c:19
// CHECK: later  2  stored at {{.*}}later.c:22
// CHECK-NEXT: read   1  stored at {{.*}}later.c:18
// CHECK: later  1  stored at {{.*}}later.c:20
// CHECK-NEXT: read   0  initial contents
// JSON: "fate": "later"
