/* All answers of a load are looked at together, also those that belong to a later part of the search: what
 * is found there counts once, with that part.
 *
 * RUN: rm -rf %t && mkdir -p %t && %tidemark_cc %s -o %t/prog
 * RUN: ! env TIDEMARK_OPTIONS=jobs=1 %tidemark check --failures=2 --analyses=robustness,races %t/prog > %t/whole.txt 2>&1
 * RUN: ! env TIDEMARK_OPTIONS=jobs=1 TIDEMARK_SCATTER=1 %tidemark check --failures=2 --analyses=robustness,races %t/prog > %t/parts.txt 2>&1
 * RUN: grep 'seen in\|executions' %t/whole.txt | grep -v covered > %t/whole.counts && test -s %t/whole.counts
 * RUN: grep 'seen in\|executions' %t/parts.txt | grep -v covered | diff - %t/whole.counts
 */
#include <immintrin.h>
#include <tidemark.h>

static volatile char *bytes;

#define P(a) ((a) % 8 * 64 + (a) / 8 * 8)
#define W(a) (*(volatile long *)(bytes + P(a)))
#define N(a) (*(long *)((char *)bytes + P(a)))
#define keep() __asm__ volatile("" ::: "memory")

static void fill(void) {
  __atomic_store_n(&N(8), 1, __ATOMIC_RELEASE);
  _mm_clflush((void *)&W(1));
  __atomic_store_n(&N(2), 0, __ATOMIC_RELEASE);
  __atomic_store_n(&N(13), 1, __ATOMIC_RELEASE);
  _mm_clflush((void *)&W(13));
  N(10) = 1;
  keep();
  __atomic_store_n(&N(1), 1, __ATOMIC_RELEASE);
  N(0) = 1;
  keep();
  __atomic_store_n(&N(15), 1, __ATOMIC_RELEASE);
  N(12) = 1;
  keep();
  _mm_clflush((void *)&W(12));
  N(14) = 1;
  keep();
  _mm_clflush((void *)&W(14));
  _mm_clflush((void *)&W(15));
}

static void recover(void) {
  (void)W(13);
  (void)W(15);
  (void)W(12);
  (void)W(14);
  N(2) = 0;
  keep();
  _mm_clflush((void *)&W(2));
  tidemark_outcome("%d", 0);
  __atomic_fetch_add(&N(0), 1, __ATOMIC_SEQ_CST);
}

int main(void) {
  bytes = tidemark_region("m", 512);
  tidemark_failures() ? recover() : fill();
  return 0;
}
