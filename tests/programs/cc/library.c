/* Library functions and memory intrinsics on watched memory, also fortified and through pointers.
 *
 * RUN: clang-19 -D_GNU_SOURCE -fPIC -c -I%S/../../../src %S/Inputs/trace_hooks.c -o %t.trace.o
 * RUN: %tidemark_cc -O0 -I%S/Inputs %s %t.trace.o -o %t.O0 && %t.O0 | %FileCheck %s
 * RUN: %tidemark_cc -O2 -I%S/Inputs %s %t.trace.o -o %t.O2 && %t.O2 | %FileCheck %s
 * RUN: %tidemark_cc -O2 -D_FORTIFY_SOURCE=2 -I%S/Inputs %s %t.trace.o -o %t.fortified
 * RUN: %t.fortified | %FileCheck %s
 * RUN: %tidemark_cc -O2 -fno-builtin -I%S/Inputs %s %t.trace.o -o %t.plain && %t.plain | %FileCheck %s
 */
#define _GNU_SOURCE
#include "trace_hooks.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static void *(*volatile copy_pointer)(void *, const void *, size_t) = memcpy;

static void __attribute__((noinline)) test(char *p, char *out, size_t n) {
  memset(p, 'a', 8);
  // CHECK: memset [+0] 97 8 @ library.c:[[@LINE-1]]:test
  memcpy(p + 8, p, 8);
  // CHECK-NEXT: memcpy [+8] [+0] 8 @ library.c:[[@LINE-1]]:test
  memmove(p + 1, p, n);
  // CHECK-NEXT: memmove [+1] [+0] 20
  memcpy(out, p, n);
  // CHECK-NEXT: memcpy [out] [+0] 20
  printf("%lu\n", (unsigned long)strlen(p));
  // CHECK-NEXT: strlen [+0]
  // CHECK-NEXT: {{^}}17
  strcpy(p + 32, "hello");
  // CHECK: {{strcpy|memcpy}} [+32] [out]
  strncpy(p + 48, p + 32, 4);
  // CHECK-NEXT: strncpy [+48] [+32] 4
  strcat(p + 32, " world");
  // CHECK-NEXT: strcat [+32] [out]
  printf("%d\n", strcmp(p + 32, "hello world"));
  // CHECK-NEXT: strcmp [+32] [out]
  // CHECK-NEXT: {{^}}0
  printf("%d\n", memcmp(p, p + 32, n) != 0);
  // CHECK-NEXT: {{memcmp|bcmp}} [+0] [+32] 20
  // CHECK-NEXT: {{^}}1
  printf("%s\n", (char *)memchr(p + 32, 'w', n));
  // CHECK-NEXT: memchr [+32] 119 20
  // CHECK-NEXT: world
  printf("%s\n", strchr(p + 32, 'o'));
  // CHECK-NEXT: strchr [+32] 111
  // CHECK-NEXT: o world
  printf("%s\n", strstr(p + 32, "wor"));
  // CHECK-NEXT: strstr [+32] [out]
  // CHECK-NEXT: world
  char *copy = strdup(p + 32);
  // CHECK-NEXT: strdup [+32]
  printf("%s\n", copy);
  // CHECK-NEXT: hello world
  free(copy);
  bzero(p, 4);
  // CHECK-NEXT: {{bzero|memset}} [+0]
  copy_pointer(p + 64, p + 32, 3);
  // CHECK: memcpy [+64] [+32] 3
  mempcpy(p + 64, p + 32, 3);
  // CHECK-NEXT: mem{{p?}}cpy [+64] [+32] 3
}

int main(void) {
  char out[64];
  trace_on();
  test(window(), out, 20);
  return 0;
}
