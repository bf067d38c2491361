/* Fortified functions that would write more than there is room for end the program, as with other compilers.
 *
 * RUN: %tidemark_cc -g -O2 -D_GNU_SOURCE -D_FORTIFY_SOURCE=2 %s -o %t
 * RUN: for i in 0 1 2 3 4 5 6 7; do %t $i 8 && %tidemark check --allow-empty %t $i 8 && %tidemark check --model=sc %t $i 8 || exit 1; done
 * RUN: for i in 0 1 2 3 4 5 6 7; do \
 * RUN:   not=0; %t $i 9 > /dev/null 2>&1 || not=$?; test $not = 134 || { echo "case $i, not checked"; exit 1; }; \
 * RUN:   %tidemark check --model=sc %t $i 9 > %t.log 2>&1; test $? = 1 || { echo "case $i"; exit 1; }; \
 * RUN:   %FileCheck %s < %t.log || exit 1; \
 * RUN: done
 * CHECK: error[abort]: the program aborted: buffer overflow detected: 9 bytes are to be written where there is room for 8
 * CHECK-NEXT: fortified.c
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

static char to[8], from[16] = "abcdefghijklmno";

/* The end, if the function says so, otherwise the beginning. */
static char *writes(int which, size_t n) {
  switch (which) {
  case 0:
    return memcpy(to, from, n);
  case 1:
    return memmove(to, from, n);
  case 2:
    return memset(to, 'a', n);
  case 3:
    return mempcpy(to, from, n);
  case 4:
    return strncpy(to, from, n);
  case 5:
    return stpncpy(to, from, n);
  case 6:
    from[n - 1] = 0;
    return strcpy(to, from);
  default:
    from[n - 1] = 0;
    return stpcpy(to, from);
  }
}

int main(int argc, char **argv) {
  int which = argc > 2 ? atoi(argv[1]) : 0;
  size_t n = argc > 2 ? (size_t)atoi(argv[2]) : 8;
  char *said = writes(which, n);
  assert(said == to + (which == 3 || which == 5 ? 8 : which == 7 ? 7 : 0));
  assert(to[0] == 'a' && to[6] == (which == 2 ? 'a' : 'g') && to[7] == (which > 5 ? 0 : which == 2 ? 'a' : 'h'));
}
