// The log of --save (src/cli/record_log.h) on a device where a failure leaves any part of what was not
// synchronised: every record that was acknowledged is there, whole, and at most one more.
//
// RUN: %tidemark_cc -O1 -I%S/../../../src %s -o %t
// RUN: %tidemark check --failures=2 %t 2>&1 | %FileCheck %s
// CHECK: no findings; the search is complete
//
// Without fdatasync a record is acknowledged too early.
// RUN: %tidemark_cc -O1 -DNO_SYNC -I%S/../../../src %s -o %t.early
// RUN: %tidemark check %t.early 2>&1 | %FileCheck --check-prefix=EARLY %s
// EARLY: assertion failed: whole >= *acknowledged
//
// Without a checksum half a record is taken for a whole one.
// RUN: %tidemark_cc -O1 -DNO_SUM -I%S/../../../src %s -o %t.half
// RUN: %tidemark check %t.half 2>&1 | %FileCheck --check-prefix=HALF %s
// HALF: assertion failed: is_right(&r, whole)
#include <tidemark.h>
#include <fcntl.h>
#include <immintrin.h>
#include <string.h>
#include <unistd.h>
#include "base/hash.h"
#ifdef NO_SYNC
#define fdatasync(fd) 0
#endif
#ifdef NO_SUM
#define hash_bytes(h, bytes, n) ((void)(h), (void)(bytes), (uint64_t)1)
#endif
#include "cli/record_log.c"

#define PATH "/mnt/pmem/log"
#define RECORDS 3

static const char *const texts[] = {"f0 f3 12\n", "", "a text that is longer than a line of a cache, \n"
                                                      "so that parts of it can be lost, each by itself"};

static bool is_right(const struct record *r, uint64_t i) {
  return r->length == strlen(texts[i]) && memcmp(r->bytes, texts[i], r->length) == 0;
}

static uint64_t *acknowledged;

static void acknowledge(uint64_t records) {
  *acknowledged = records;
  _mm_clflush(acknowledged);
}

int main(void) {
  static char contents[1024];
  acknowledged = tidemark_region("acknowledged", 64);
  struct record_log log = {.fd = open(PATH, O_RDWR | O_CREAT, 0600)};
  ssize_t length = pread(log.fd, contents, sizeof contents, 0);
  struct record r;
  size_t at = 0;
  uint64_t whole = 0;
  for (; record_next(contents, (size_t)length, &at, &r); whole++)
    tidemark_assert(is_right(&r, whole));
  tidemark_assert(whole >= *acknowledged);
  tidemark_assert(whole <= *acknowledged + 1);
  if ((size_t)length > at && ftruncate(log.fd, (off_t)at) != 0)
    return 1;
  acknowledge(whole);
  for (log.end = at; whole < RECORDS; acknowledge(++whole))
    if (!record_log_append(&log, "part", texts[whole], strlen(texts[whole])))
      return 1;
  return 0;
}
