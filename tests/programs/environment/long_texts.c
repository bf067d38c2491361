// Nothing is cut without a word: long outcomes are whole, long messages end with dots.
// RUN: %tidemark_cc -g %s -o %t
// RUN: for o in "" --isolate "--model=cxl"; do %tidemark check $o --json=%t.json %t 2> %t.err; test $? = 1 || exit 1; python3 %S/Inputs/long_texts.py %t.json || exit 1; done
#include <assert.h>
#include <immintrin.h>
#include <string.h>
#include <tidemark.h>

void __assert_fail(const char *, const char *, unsigned, const char *);

int main(void) {
  long *p = tidemark_region("p", 64);
  static char text[10001], message[2000];
  memset(text, 'x', 10000);
  memset(message, 'a', sizeof message - 1);
  if (tidemark_failures() == 0 && tidemark_machine() == 0) {
    p[0] = 1;
    _mm_clflush(p);
  }
  if (tidemark_failures() == 0 || p[0])
    tidemark_outcome("%s|", text);
  else
    __assert_fail(message, __FILE__, __LINE__, __func__);
  return 0;
}
