// A loop in code that was not instrumented waits for another thread, or machine.
// RUN: %clang -O1 -g -fPIC -c %S/Inputs/plain.c -o %t.plain.o
// RUN: %tidemark_cc -g %s %t.plain.o -o %t
// RUN: %tidemark check --timeout=60 --json=%t.json %t
// RUN: %FileCheck %s < %t.json
// RUN: %tidemark check --timeout=60 --schedule=all --json=%t.json %t
// RUN: %FileCheck %s < %t.json
// RUN: %tidemark check --timeout=60 --model=cxl --json=%t.json %t
// RUN: %FileCheck %s < %t.json
// CHECK: "complete": true
// CHECK: "findings": []
#include <pthread.h>
#include <stdint.h>
#include <tidemark.h>

uint64_t plain_load(const uint64_t *p);
void plain_store(uint64_t *p, uint64_t value);

static uint64_t *p;

static void *other(void *unused) {
  plain_store(p, 1);
  return unused;
}

int main(void) {
  pthread_t t;
  p = tidemark_region("r", 4096);
  if (tidemark_failures())
    return 0;
  if (tidemark_machine() == 0) {
    pthread_create(&t, NULL, other, NULL);
    while (!plain_load(p))
      continue;
    pthread_join(t, NULL);
  } else {
    while (!plain_load(p) && !tidemark_machine_failed(0))
      continue;
  }
  return 0;
}
