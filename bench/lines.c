/* lines N [PASSES]: N cache lines that nobody flushes, which the recovery reads without keeping anything, and a
 * bug behind them: 4 * 2^N + 1 executions, 2^N of which fail.  A search that follows each of them does
 * not come to an end; one that notices that they have become the same takes a step for each line.  With
 * more than one pass they are read again, in the same order: then it has to notice as well that what was
 * read first makes no difference. */
#include <immintrin.h>
#include <stdlib.h>
#include <tidemark.h>

#define LINES_MAX 16384
#ifndef WORD
#define WORD long /* what is stored and read of a line */
#endif

struct root {
  struct { _Alignas(64) WORD first, second; } line[LINES_MAX];
  _Alignas(64) long a;
  _Alignas(64) long b;
  _Alignas(64) long start;
};

static volatile long large;

static void recover(struct root *r, int n, int passes) {
  for (int pass = 0; pass < passes; pass++)
    for (int i = 0; i < n; i++) {
      if (r->line[i].first > 1)
        large++;
#ifdef STORES /* to each line: an execution goes on with more and more that is its own */
      r->line[i].second = (WORD)(pass + 1);
#endif
    }
  tidemark_assert(!r->b || r->a);
}

static void persist(const long *p) {
  _mm_clflush(p);
  _mm_sfence();
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 64;
  struct root *r = tidemark_region("root", sizeof *r);
  if (!r || n < 1 || n > LINES_MAX)
    return 2;
  if (tidemark_failures()) {
    recover(r, n, argc > 2 ? atoi(argv[2]) : 1);
    return 0;
  }
  for (int i = 0; i < n; i++)
    r->line[i].first = 1;
  r->start = 1;
  persist(&r->start);
  r->a = 1; /* never flushed */
  r->b = 1;
  persist(&r->b);
  return 0;
}
