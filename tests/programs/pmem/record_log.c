// The log of --save (src/cli/record_log.h) on a disk where a failure leaves any part of what was not
// synchronised, also the length without the bytes: every record that was acknowledged is there, whole,
// and at most one more.
//
// RUN: %tidemark_cc -O1 -I%S/../../../src %s -o %t
// RUN: %tidemark check %t 2>&1 | %FileCheck %s
// RUN: %tidemark check --failures=2 %t short 2>&1 | %FileCheck %s
// CHECK: no findings; the search is complete
//
// Without fdatasync a record is acknowledged too early.
// RUN: %tidemark_cc -O1 -DNO_SYNC -I%S/../../../src %s -o %t.early
// RUN: ! %tidemark check %t.early > %t.out 2>&1 && %FileCheck --input-file=%t.out --check-prefix=EARLY %s
// EARLY: assertion failed: whole >= *acknowledged
//
// Without a checksum half a record is taken for a whole one.
// RUN: %tidemark_cc -O1 -DNO_SUM -I%S/../../../src %s -o %t.half
// RUN: ! %tidemark check %t.half > %t.out 2>&1 && %FileCheck --input-file=%t.out --check-prefix=HALF %s
// HALF: assertion failed: is_right(&r, whole)
#include "base/hash.h"
#include <fcntl.h>
#include <immintrin.h>
#include <string.h>
#include <tidemark.h>
#include <unistd.h>

#define DISK_BYTES 512

static struct disk {
  uint64_t length, padding[7];
  char bytes[DISK_BYTES];
} *disk;

static ssize_t disk_write(int fd, const void *from, size_t n, off_t at) {
  (void)fd;
  memcpy(disk->bytes + at, from, n);
  if (disk->length < (size_t)at + n)
    disk->length = (size_t)at + n;
  return (ssize_t)n;
}

static int disk_sync(int fd) {
  (void)fd;
#ifndef NO_SYNC
  for (size_t i = 0; i < sizeof *disk; i += 64)
    _mm_clflush((char *)disk + i);
#endif
  return 0;
}

#define pwrite disk_write
#define fdatasync disk_sync
#ifdef NO_SUM
#define hash_bytes(h, bytes, n) ((void)(h), (void)(bytes), (uint64_t)1)
#endif
#include "cli/record_log.c"

static const char *const texts[] = {
    "f0 f3 12\n", "",
    "a text that is longer than a line of a cache,\nso that parts of it can be lost by themselves"};

static bool is_right(const struct record *r, uint64_t i) {
  return r->length == strlen(texts[i]) && memcmp(r->bytes, texts[i], r->length) == 0;
}

static uint64_t *acknowledged;

static void acknowledge(uint64_t records) {
  *acknowledged = records;
  _mm_clflush(acknowledged);
}

int main(int argc, char **argv) {
  (void)argv;
  uint64_t records = argc > 1 ? 2 : 3;
  disk = tidemark_region("disk", sizeof *disk);
  acknowledged = tidemark_region("acknowledged", 64);
  struct record_log log = {0};
  struct record r;
  size_t at = 0;
  uint64_t whole = 0;
  for (; record_next(disk->bytes, disk->length, &at, &r); whole++)
    tidemark_assert(is_right(&r, whole));
  tidemark_assert(whole >= *acknowledged);
  tidemark_assert(whole <= *acknowledged + 1);
  disk->length = at; /* whoever goes on cuts it there */
  disk_sync(0);
  acknowledge(whole);
  for (log.end = at; whole < records; acknowledge(++whole))
    if (!record_log_append(&log, "part", texts[whole], strlen(texts[whole])))
      return 1;
  return 0;
}
