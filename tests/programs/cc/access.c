/* Every size and kind of plain and volatile access reaches its hook, with the right site.
 *
 * RUN: clang-19 -D_GNU_SOURCE -fPIC -c -I%S/../../../src %S/Inputs/trace_hooks.c -o %t.trace.o
 * RUN: %tidemark_cc -O0 -I%S/Inputs %s %t.trace.o -o %t.O0 && %t.O0 | %FileCheck %s
 * RUN: %tidemark_cc -O2 -I%S/Inputs %s %t.trace.o -o %t.O2 && %t.O2 | %FileCheck %s
 * RUN: %tidemark_cc -O3 -I%S/Inputs %s %t.trace.o -o %t.O3 && %t.O3 | %FileCheck %s
 */
#include "trace_hooks.h"
#include <stdint.h>
#include <stdio.h>

struct __attribute__((packed)) packed {
  char c;
  uint64_t value;
};

struct bits {
  unsigned low : 3, high : 7;
};

struct big {
  long words[40];
};

struct small {
  long a, b;
};

typedef float quad __attribute__((vector_size(16)));
typedef double oct __attribute__((vector_size(64)));

static void __attribute__((noinline)) plain(char *p) {
  p[0] = 1;
  // CHECK: store1 [+0] = 0x1 @ access.c:[[@LINE-1]]:plain
  *(uint16_t *)(p + 2) = 2;
  // CHECK-NEXT: store2 [+2] = 0x2 @ access.c:[[@LINE-1]]:plain
  *(uint32_t *)(p + 4) = 3;
  // CHECK-NEXT: store4 [+4] = 0x3
  *(uint64_t *)(p + 8) = 4;
  // CHECK-NEXT: store8 [+8] = 0x4
  *(float *)(p + 16) = 1.0f;
  // CHECK-NEXT: store4 [+16] = 0x3f800000
  *(double *)(p + 24) = 1.0;
  // CHECK-NEXT: store8 [+24] = 0x3ff0000000000000
  *(void **)(p + 32) = (void *)0x1234;
  // CHECK-NEXT: store8 [+32] = 0x1234
  *(__int128 *)(p + 48) = 7;
  // CHECK-NEXT: store_n [+48] 16
  *(long double *)(p + 64) = 1.0L;
  // CHECK-NEXT: store_n [+64] 10
  *(quad *)(p + 80) = (quad){1, 2, 3, 4};
  // CHECK-NEXT: store_n [+80] 16
  *(oct *)(p + 128) = (oct){1};
  // CHECK-NEXT: store_n [+128] 64
  *(_BitInt(24) *)(p + 192) = 5;
  // CHECK-NEXT: store
  ((struct packed *)(p + 200))->value = 9;
  // CHECK-NEXT: store8 [+201] = 0x9
  ((struct bits *)(p + 212))->high = 1;
  // CHECK-NEXT: load{{[24]}} [+212]
  // CHECK-NEXT: store{{[24]}} [+212] = 0x8
}

static uint64_t __attribute__((noinline)) read_back(char *p) {
  uint64_t sum = (uint64_t)p[0];
  // CHECK-NEXT: load1 [+0] @ access.c:[[@LINE-1]]:read_back
  sum += *(uint16_t *)(p + 2);
  // CHECK-NEXT: load2 [+2]
  sum += *(uint32_t *)(p + 4);
  // CHECK-NEXT: load4 [+4]
  sum += *(uint64_t *)(p + 8);
  // CHECK-NEXT: load8 [+8]
  sum += (uint64_t)*(double *)(p + 24);
  // CHECK-NEXT: load8 [+24]
  sum += (uint64_t) * (void **)(p + 32);
  // CHECK-NEXT: load8 [+32]
  sum += (uint64_t) * (__int128 *)(p + 48);
  // CHECK-NEXT: load_n [+48] 16
  sum += (uint64_t)(*(quad *)(p + 80))[3];
  // CHECK-NEXT: load_n [+80] 16
  sum += ((struct packed *)(p + 200))->value;
  // CHECK-NEXT: load8 [+201]
  // CHECK-NEXT: {{^}}4691
  return sum;
}

/* Nobody else can see the counter: it has no hooks, and waiting with it is not waiting for others. */
static int __attribute__((noinline)) delay(void) {
  volatile int i;
  for (i = 0; i < 3; i++)
    ;
  return i;
}

static void __attribute__((noinline)) volatiles(volatile char *p, volatile long *outside) {
  *(volatile uint8_t *)p = 1;
  // CHECK: vstore1 [+0] = 0x1
  *(volatile uint32_t *)(p + 4) += 2;
  // CHECK-NEXT: vload4 [+4]
  // CHECK-NEXT: vstore4 [+4] = 0x5
  *outside = 3;
  // CHECK-NEXT: vstore8 [out] = 0x3
  *outside = delay();
  // CHECK-NEXT: vstore8 [out] = 0x3
  *(volatile double *)(p + 8) = 2.0;
  // CHECK-NEXT: vstore8 [+8] = 0x4000000000000000
  *(volatile __int128 *)(p + 48) = 1;
  // CHECK-NEXT: store_n [+48] 16
}

static long __attribute__((noinline)) by_value(struct big b) {
  return b.words[39];
}

static void __attribute__((noinline)) structs(struct big *p, struct big *q, struct small *s) {
  *p = *q;
  // CHECK: memcpy [+1024] [+2048] 320 @ access.c:[[@LINE-1]]:structs
  struct small local = *s;
  s[1] = local;
  // CHECK: {{load8|memcpy}} [{{.*}}+4096]
  printf("by value %ld\n", by_value(*q));
  // CHECK: memcpy [out] [+2048] 320 @ access.c:[[@LINE-1]]:structs
  // CHECK: by value 77
}

int main(void) {
  char *p = window();
  static volatile long outside;
  trace_on();
  plain(p);
  printf("%lu\n", (unsigned long)read_back(p));
  volatiles(p, &outside);
  struct big *big = (struct big *)(p + 1024);
  trace_off();
  big[0].words[0] = 0;
  ((struct big *)(p + 2048))->words[39] = 77;
  trace_on();
  structs((struct big *)(p + 1024), (struct big *)(p + 2048), (struct small *)(p + 4096));
  return 0;
}
