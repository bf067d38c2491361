// Sizes below zero, and places behind the end of the heap: a crash, as without the checker.
// RUN: %tidemark_cc -g -O1 %s -o %t
// RUN: for model in sc tso; do for how in s o r c m; do %tidemark check --model=$model %t $how; test $? = 1 || exit 2; done; done > %t.out 2>&1
// RUN: %FileCheck %s < %t.out
// CHECK: segmentation fault: 18446744073709551600 bytes (a size below zero) are to be written, more than there is memory
// CHECK-NEXT: far_away.c:[[@LINE+25]]:5
// CHECK: segmentation fault: 18446744073709551600 bytes (a size below zero)
// CHECK-NEXT: far_away.c:[[@LINE+26]]:5
// CHECK: segmentation fault: read of address 0x{{[0-9a-f]+}}, behind the end of the heap
// CHECK-NEXT: far_away.c:[[@LINE+27]]:12
// CHECK: segmentation fault: read of address 0x{{[0-9a-f]+}}, behind the end of the heap
// CHECK-NEXT: far_away.c:[[@LINE+27]]:5
// CHECK: segmentation fault: write to address 0x{{[0-9a-f]+}}, behind the end of the heap
// CHECK-NEXT: far_away.c:[[@LINE+9]]:
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static char *block;
static volatile size_t below_zero = (size_t)-16, far = (size_t)1 << 30;

static void *store_far_away(void *unused) {
  block[far] = 1;
  return unused;
}

static int use(char how) {
  pthread_t thread;
  switch (how) {
  case 's':
    memset(block, 0, below_zero);
    break;
  case 'o':
    memmove(block + 8, block, below_zero);
    break;
  case 'r':
    return block[far];
  case 'c':
    memmove(block + 8, block, far);
    break;
  case 'm':
    pthread_create(&thread, 0, store_far_away, 0);
    pthread_join(thread, 0);
  }
  return 0;
}

int main(int argc, char **argv) {
  block = malloc(64);
  return argc > 1 ? use(argv[1][0]) : 0;
}
