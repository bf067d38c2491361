// A token that is replayed without the options of its check says what may be missing.
// RUN: %tidemark_cc %s -o %t
// RUN: %tidemark check --failures=2 %t > %t.out 2>&1; test $? = 1
// RUN: TOKEN=$(sed -n "s/.*--token='*\([^' ]*\).*/\1/p" %t.out); test -n "$TOKEN"
// RUN: TOKEN=$(sed -n "s/.*--token='*\([^' ]*\).*/\1/p" %t.out); %tidemark replay --token=$TOKEN --failures=2 %t; test $? = 1
// RUN: TOKEN=$(sed -n "s/.*--token='*\([^' ]*\).*/\1/p" %t.out); %tidemark replay --token=$TOKEN %t 2> %t.err; test $? = 5
// RUN: grep 'the same program, arguments and options as in the check' %t.err
// RUN: %tidemark replay --token=- %t 2> %t.err; test $? = 5
// RUN: %tidemark replay --token=xyz %t 2> %t.err; test $? = 2
#include <immintrin.h>
#include <tidemark.h>

int main(void) {
  long *p = tidemark_region("p", 128);
  tidemark_assert(tidemark_failures() < 2 || p[0] || !p[8]);
  p[0] = tidemark_failures() == 0;
  p[8] = 1;
  _mm_clflush(p + 8);
  _mm_sfence();
  return 0;
}
