/* The log of records: cut at every length, and with every byte changed, it gives back whole records
 * and nothing else; and what comes after the cut can be written again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/rng.h"
#include "cli/record_log.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RECORDS 12
#define BYTES_MAX 400

static struct {
  char kind[8], bytes[BYTES_MAX];
  size_t length;
  uint64_t end; /* of the file with it */
} written[RECORDS];

static char contents[RECORDS * (BYTES_MAX + 64)];
static size_t total;

static void write_all(struct record_log *log, int first) {
  struct rng rng = {.state = 7};
  for (int i = 0; i < RECORDS; i++) {
    snprintf(written[i].kind, sizeof written[i].kind, "kind%c", 'a' + i % 3);
    written[i].length = i == 0 ? 0 : rng_below(&rng, BYTES_MAX);
    for (size_t j = 0; j < written[i].length; j++) /* lines, records in records, zero bytes */
      written[i].bytes[j] = "part 0000000003 \n\0x"[rng_below(&rng, 19)];
    if (i < first)
      continue;
    assert_true(record_log_append(log, written[i].kind, written[i].bytes, written[i].length));
    written[i].end = log->end;
  }
}

static int setup(void **state) {
  static char path[] = "/tmp/record_log_XXXXXX";
  static struct record_log log;
  log = (struct record_log){.fd = mkstemp(path)};
  unlink(path);
  write_all(&log, 0);
  total = (size_t)pread(log.fd, contents, sizeof contents, 0);
  *state = &log;
  return total == log.end ? 0 : -1;
}

/* How many records can be read, each of them checked. */
static int read_records(const char *from, size_t length, size_t *at) {
  struct record r;
  int n = 0;
  for (*at = 0; record_next(from, length, at, &r); n++) {
    assert_true(n < RECORDS);
    assert_string_equal(r.kind, written[n].kind);
    assert_int_equal(r.length, written[n].length);
    assert_memory_equal(r.bytes, written[n].bytes, r.length);
  }
  return n;
}

static void cut_anywhere(void **state) {
  (void)state;
  for (size_t length = 0; length <= total; length++) {
    char *copy = malloc(length + 1); /* of that size: reading beyond is noticed */
    memcpy(copy, contents, length);
    size_t at;
    int n = read_records(copy, length, &at), whole = 0;
    while (whole < RECORDS && written[whole].end <= length)
      whole++;
    assert_int_equal(n, whole);
    assert_int_equal(at, whole ? written[whole - 1].end : 0);
    free(copy);
  }
}

static void damaged_anywhere(void **state) {
  (void)state;
  for (size_t i = 0; i < total; i++)
    for (int bit = 0; bit < 8; bit += 3) {
      size_t at;
      contents[i] ^= (char)(1 << bit);
      int n = read_records(contents, total, &at), before = 0;
      contents[i] ^= (char)(1 << bit);
      while (before < RECORDS && written[before].end <= i)
        before++;
      assert_int_equal(n, before);
    }
}

static void written_again(void **state) {
  struct record_log *log = *state;
  struct rng rng = {.state = 3};
  static char again[sizeof contents];
  for (int round = 0; round < 50; round++) {
    size_t cut = rng_below(&rng, total + 1), at;
    assert_int_equal(ftruncate(log->fd, (off_t)cut), 0);
    size_t length = (size_t)pread(log->fd, again, sizeof again, 0);
    int n = read_records(again, length, &at);
    assert_int_equal(ftruncate(log->fd, (off_t)at), 0);
    log->end = at;
    write_all(log, n);
    length = (size_t)pread(log->fd, again, sizeof again, 0);
    assert_int_equal(length, total);
    assert_memory_equal(again, contents, total);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cut_anywhere),
      cmocka_unit_test(damaged_anywhere),
      cmocka_unit_test(written_again),
  };
  return cmocka_run_group_tests(tests, setup, NULL);
}
