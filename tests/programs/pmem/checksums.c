/* A recovery that checks a checksum over many lines (--checksums): the cost is in proportion to their number, and what
 * matters is found: all lines as they are stored last, all as they were before, all as they were at one moment, and
 * each line torn in each way.
 *
 * 2 lines may hold 81 things, of which all old and all new are right.  By default 32 of them are tried: 1 + 8 * 2 that
 * differ from all new in one line, as many from all old, of which 2 are the same.  Of 20 lines 465: 161, 161, and those
 * of the 161 moments that differ from both in more than one line.
 * RUN: %tidemark_cc -g -O1 -DLINES=2 %s -o %t.2 && %tidemark_cc -g -O1 -DLINES=20 %s -o %t.20
 * RUN: %tidemark check --checksums=none --json=%t.json %t.2 && %FileCheck --check-prefixes=BOTH,ALL %s < %t.json
 * RUN: %tidemark check --json=%t.json %t.2 2>&1 | %FileCheck --check-prefix=NOTE %s
 * RUN: %FileCheck --check-prefixes=BOTH,SOME %s < %t.json
 * RUN: %tidemark check --isolate --json=%t.json %t.2 && %FileCheck --check-prefixes=BOTH,SOME %s < %t.json
 * RUN: %tidemark check --no-share --json=%t.json %t.2 && %FileCheck --check-prefixes=BOTH,SOME %s < %t.json
 * RUN: %tidemark check --json=%t.json %t.20 && %FileCheck --check-prefixes=BOTH,MANY %s < %t.json
 * RUN: %tidemark check --jobs=2 --json=%t.json %t.20 && %FileCheck --check-prefixes=BOTH,MANY %s < %t.json
 * BOTH: "complete": true
 * BOTH: "new": 1
 * BOTH: "old": 4
 * ALL: "torn": 79
 * SOME: "torn": 30
 * MANY: "torn": 463
 * NOTE: note: checksums were taken to notice what is torn
 *
 * More lines than fit a byte, of one word each: 260 and 260, and the moments that are neither.
 * RUN: %tidemark_cc -g -O1 -DLINES=260 -DSTRIDE=8 %s -o %t.many
 * RUN: %tidemark check --json=%t.json %t.many && %FileCheck --check-prefix=WORDS %s < %t.json
 * WORDS: "complete": true
 * WORDS: "torn": 777
 *
 * The same loop in assembly, without hooks, as in Debian's libpmemobj.
 * RUN: %clang -O1 -DFOREIGN -c %s -o %t.o
 * RUN: %tidemark_cc -g -O1 -DLINES=20 -DELSEWHERE %s %t.o -o %t.asm
 * RUN: %tidemark check --json=%t.json %t.asm && %FileCheck --check-prefixes=BOTH,MANY %s < %t.json
 *
 * A sum over all lines but the last: that one is torn and accepted.
 * RUN: %tidemark_cc -g -O1 -DLINES=6 -DFORGETS_ONE %s -o %t.forgets
 * RUN: %tidemark check --json=%t.json %t.forgets > %t.txt 2>&1; test $? = 1
 * RUN: %FileCheck --check-prefix=FORGETS %s < %t.txt
 * FORGETS: assertion failed: is_new || is_old
 * FORGETS: could read any of 2 stores
 * FORGETS: 1 finding; the search is complete
 * RUN: %tidemark replay %t.json > %t.txt 2>&1; test $? = 1
 * RUN: %FileCheck --check-prefix=AGAIN %s < %t.txt
 * AGAIN: assertion failed: is_new || is_old
 *
 * Each line has a sum at once, and all of them are flushed at the end: every number of lines may be new.
 * RUN: %tidemark_cc -g -O1 -DLINES=6 -DONE_BY_ONE %s -o %t.one
 * RUN: %tidemark check --json=%t.json %t.one && %FileCheck --check-prefix=ONE %s < %t.json
 * ONE: "complete": true
 * ONE: "0": 2
 * ONE: "1": 1
 * ONE: "2": 1
 * ONE: "3": 1
 * ONE: "4": 1
 * ONE: "5": 1
 * ONE: "6": 1
 * ONE: "torn": 122
 */
#include <stddef.h>
#include <stdint.h>

uint64_t util_checksum_elsewhere(const uint32_t *p, size_t words);

#ifdef FOREIGN
uint64_t util_checksum_elsewhere(const uint32_t *p, size_t words) {
  uint32_t low = 0, high = 0;
  const uint32_t *end = p + words;
  __asm__ volatile("1: add (%2), %0; add $4, %2; add %0, %1; cmp %3, %2; jb 1b"
                   : "+r"(low), "+r"(high), "+r"(p)
                   : "r"(end)
                   : "memory");
  return (uint64_t)high << 32 | low;
}
#else

#include <immintrin.h>
#include <tidemark.h>

#define WORDS (8 * LINES) /* of 8 bytes */
#ifndef STRIDE
#define STRIDE 1 /* which of them are written */
#endif

struct log {
  _Alignas(64) uint64_t sum, old_sum;
  _Alignas(64) uint64_t words[WORDS];
};

__attribute__((noinline)) static uint64_t util_checksum_here(const uint32_t *p, size_t words) {
  uint32_t low = 0, high = 0;
  for (size_t i = 0; i < words; i++) {
    low += p[i];
    high += low;
  }
  return (uint64_t)high << 32 | low;
}

static uint64_t checksum(const uint64_t *words) {
#ifdef FORGETS_ONE
  return util_checksum_here((const uint32_t *)words, 2 * WORDS - 16);
#elif defined ELSEWHERE
  return util_checksum_elsewhere((const uint32_t *)words, 2 * WORDS);
#else
  return util_checksum_here((const uint32_t *)words, 2 * WORDS);
#endif
}

__attribute__((target("clwb"))) static void persist(const void *p, size_t n) {
  for (size_t i = 0; i < n; i += 64)
    _mm_clwb((char *)(uintptr_t)p + i);
  _mm_sfence();
}

static void write_words(uint64_t *to, unsigned lines, uint64_t factor) {
  for (uint64_t i = 0; i < 8 * lines; i += STRIDE)
    to[i] = factor * (i + 1);
}

static int is(const uint64_t *words, uint64_t factor) {
  int same = 1;
  for (uint64_t i = 0; i < WORDS; i += STRIDE)
    same &= words[i] == factor * (i + 1);
  return same;
}

#ifdef ONE_BY_ONE
static void change(struct log *l) {
  for (unsigned n = 1; n <= LINES; n++)
    for (uint64_t i = 8 * (n - 1); i < 8 * n; i++)
      l->words[i] = 1000 * (i + 1);
  persist(l->words, sizeof l->words);
}

static void recover(struct log *l) {
  uint64_t volatile_copy[WORDS];
  uint64_t sum = checksum(l->words);
  for (unsigned n = 0; n <= LINES; n++) {
    write_words(volatile_copy, LINES, 1);
    write_words(volatile_copy, n, 1000);
    if (checksum(volatile_copy) == sum) {
      tidemark_outcome("%u", n);
      return;
    }
  }
  tidemark_outcome("torn");
}
#else
static void change(struct log *l) {
  uint64_t volatile_copy[WORDS] = {0};
  write_words(volatile_copy, LINES, 1000);
  l->sum = checksum(volatile_copy);
  persist(&l->sum, sizeof l->sum);
  write_words(l->words, LINES, 1000);
  persist(l->words, sizeof l->words);
}

static void recover(struct log *l) {
  uint64_t sum = checksum(l->words);
  if (sum != l->sum && sum != l->old_sum) {
    tidemark_outcome("torn");
    return;
  }
  int is_new = is(l->words, 1000), is_old = is(l->words, 1);
  tidemark_assert(is_new || is_old);
  tidemark_outcome(is_new ? "new" : "old");
}
#endif

int main(void) {
  struct log *l = tidemark_region("log", sizeof *l);
  if (tidemark_failures()) {
    if (l->old_sum)
      recover(l);
    return 0;
  }
  write_words(l->words, LINES, 1);
  l->sum = checksum(l->words);
  persist(l, sizeof *l);
  l->old_sum = l->sum;
  persist(l, sizeof *l);
  change(l);
}
#endif
