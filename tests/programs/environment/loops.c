// A loop that does not end is one finding, at the loop, wherever the limit falls; two loops are two.
// RUN: %tidemark_cc -g -O1 %s -o %t
// RUN: for n in 1000 1001 1013 5557; do timeout 240 %tidemark check --max-steps=$n --json=%t.json %t; test $? = 1 || exit 1; %FileCheck %s < %t.json || exit 1; done
// RUN: timeout 240 %tidemark check --isolate --max-steps=1003 --json=%t.json %t; %FileCheck %s < %t.json
#include <immintrin.h>
#include <stdint.h>
#include <tidemark.h>

static uint64_t *p;

__attribute__((noinline)) static uint64_t get(int i) {
  uint64_t a = p[i], b = p[i + 1];
  return a + b;
}

__attribute__((noinline)) static void put(int i, uint64_t value) {
  p[i] = value;
}

// CHECK: "complete": true
// CHECK: "kind": "hang"
// CHECK: "line": {{26|27}},
// CHECK: "function": "forward"
static void forward(void) {
  uint64_t n = 0;
  for (;;) {
    n += get(16);
    put(32, n);
    n += p[33];
  }
}

// CHECK: "kind": "hang"
// CHECK: "line": {{41|42}},
// CHECK: "function": "wait"
// CHECK: "kind": "hang"
// CHECK: "line": {{62|63}},
// CHECK: "function": "main"
// CHECK-NOT: "kind": "hang"
static void wait(void) {
  while (get(48) == 0) /* it is called anew each time: the loop is here */
    _mm_pause();
}

int main(void) {
  p = tidemark_region("r", 4096);
  if (!tidemark_failures()) {
    for (uint64_t i = 1; i < 4; i++) {
      p[0] = i;
      _mm_clflush(p);
    }
    return 0;
  }
  switch (p[0]) {
  case 1:
    forward();
    break;
  case 2:
    wait();
    break;
  case 3:
    for (;;)
      put(50, p[40] + 1);
  }
  return 0;
}
