// A checksum instead of flushes: a record is there with its right contents or not at all.
// OUTCOMES: record 5 6 7; no record
#include "../pm.h"

static uint64_t sum(const uint64_t *word) {
  return word[0] * 31 + word[1] * 17 + word[2] * 3 + 1;
}

static void before(union pm_line *line) {
  uint64_t *record = &((uint64_t *)line)[6];
  record[0] = 5;
  record[1] = 6;
  record[2] = 7;
  Z = sum(record);
}

static void after(union pm_line *line) {
  uint64_t words[3];
  tidemark_checksum_begin(&line[0].word[6], sizeof words);
  memcpy(words, &((uint64_t *)line)[6], sizeof words);
  int valid = Z == sum(words);
  tidemark_checksum_end(valid);
  if (valid)
    tidemark_outcome("record %d %d %d", (int)words[0], (int)words[1], (int)words[2]);
  else
    tidemark_outcome("no record");
}

PM_TEST(3)
