// A log is protected by a checksum that nobody was told of, and recovery has much ordinary memory, of which it
// changes some pages on the way: whoever goes on from a checkpoint must find all of them as they were.
// OUTCOMES: torn; whole
// OPTIONS: --jobs=1
// COUNTS: 973 executions, 973 runs, 1 failure points
#include "../pm.h"
#include <stdlib.h>

#define LINES 3
#define PAGES 600
#define PAGE_WORDS 512
#define AFTERWARDS 1000

static uint64_t word_of(int i) {
  return (uint64_t)(i + 1) * 0x9e3779b97f4a7c15u;
}

static int words(void) {
  return 8 * LINES - 3;
}

static void before(union pm_line *line) {
  uint64_t sum = 0;
  for (int i = 0; i < words(); i++) {
    line[1 + i / 8].word[i % 8] = word_of(i);
    sum = sum * 31 + word_of(i);
  }
  X = sum;
  for (int i = 0; i <= LINES; i++)
    clflushopt(&line[i]);
  _mm_sfence();
}

/* Page i: its number; and how often it was changed, which the first words count again. */
static void check_memory(const uint64_t *memory, int changes) {
  int found = 0;
  for (int i = 0; i < PAGES; i++) {
    tidemark_assert(memory[i * PAGE_WORDS + 1] == (uint64_t)i);
    found += (int)memory[i * PAGE_WORDS];
  }
  tidemark_assert(found == changes);
}

static void after(union pm_line *line) {
  static volatile uint64_t sink;
  uint64_t *memory = malloc(PAGES * PAGE_WORDS * sizeof *memory), sum = 0;
  for (int i = 0; i < PAGES; i++) {
    memory[i * PAGE_WORDS] = 0;
    memory[i * PAGE_WORDS + 1] = (uint64_t)i;
  }
  for (int i = 0; i < words(); i++) {
    uint64_t word = line[1 + i / 8].word[i % 8];
    sum = sum * 31 + word;
    memory[(word >> 32) % PAGES * PAGE_WORDS]++;
  }
  check_memory(memory, words());
  for (int i = 0; i < PAGES; i++)
    if (memory[i * PAGE_WORDS])
      memory[i * PAGE_WORDS] = 0;
  int whole = X && X == sum;
  sum = 0;
  for (int i = 0; i < AFTERWARDS; i++)
    sink += line[LINES + 1 + i % 8].word[0];
  for (int i = 0; whole && i < words(); i++)
    tidemark_assert(line[1 + i / 8].word[i % 8] == word_of(i));
  tidemark_outcome(whole ? "whole" : "torn");
}

PM_TEST(LINES + 9)
