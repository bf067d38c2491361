/* A scan whose loads are answered alike is one place of the report, not as many as there are words.
 *
 * RUN: %tidemark_cc -g %s -o %t
 * RUN: %tidemark check %t > %t.txt 2>&1; test $? = 1
 * RUN: %FileCheck %s < %t.txt
 *
 * CHECK: error[assertion]
 * CHECK: note: this load of 8 bytes at words+0x40 could read any of 2 stores
 * CHECK: > read   1  stored at
 * CHECK-NEXT: older  0  initial contents
 * CHECK-NEXT: and so did the next 6 loads here, the last one at words+0x70
 * CHECK: note: this load of 8 bytes at words+0x78 could read any of 2 stores
 * CHECK: lost   1  stored at
 * CHECK-NOT: more load
 */
#include <immintrin.h>
#include <tidemark.h>

struct words {
  long done;
  _Alignas(64) long word[8];
};

int main(void) {
  struct words *w = tidemark_region("words", sizeof *w);
  if (tidemark_failures() == 0) {
    for (int i = 0; i < 8; i++)
      w->word[i] = 1;
    w->done = 1; /* the words are not flushed */
    _mm_clflush(&w->done);
    _mm_sfence();
  } else if (w->done) {
    for (int i = 0; i < 7; i++)
      if (!w->word[i])
        return 0;
    tidemark_assert(w->word[7]);
  }
}
