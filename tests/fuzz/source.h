/* What the programs of pm_source.py and threads_source.py share: what was read, and ways to write one operation for
 * which the table of source_programs.py would be too narrow.  C and C++. */
#ifndef TESTS_FUZZ_SOURCE_H
#define TESTS_FUZZ_SOURCE_H

#include "../programs/pm/pm.h"
#include <immintrin.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#ifdef __cplusplus
#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <memory>
#include <new>
#else
#include <stdatomic.h>
#endif

#pragma clang diagnostic ignored "-Watomic-alignment"

typedef uint8_t any8;
typedef unsigned __int128 __attribute__((aligned(1), may_alias)) any128;
typedef unsigned __int128 __attribute__((may_alias)) whole128;
typedef long long __attribute__((vector_size(16), aligned(1), may_alias)) anyv2;
typedef double __attribute__((aligned(1), may_alias)) any_double;
typedef float __attribute__((aligned(1), may_alias)) any_float;

/* What a thread has read. */
struct log {
  uint64_t last;
  size_t length;
  __attribute__((aligned(sizeof(wchar_t)))) char text[1000];
};

static struct log first_log;
static __thread struct log *seen = &first_log;

static uint8_t *region; /* the memory that the operations are about */

static __attribute__((noinline, unused)) uint8_t *opaque(size_t offset) {
  return region + offset;
}

static void note(const char *format, unsigned long long value) {
  seen->length += (size_t)snprintf(seen->text + seen->length, sizeof seen->text - seen->length, format, value);
}

static void value_read(uint64_t value) {
  seen->last = value;
  note(" %llx", value);
}

static __attribute__((unused)) void bytes_read(const void *p, unsigned size) {
  const uint8_t *bytes = (const uint8_t *)p;
  note(" ", 0);
  for (unsigned i = 0; i < size; i++)
    note("%02llx", bytes[i]);
  seen->last = bytes[0];
}

static __attribute__((unused)) void wide_read(unsigned __int128 value) {
  value_read((uint64_t)(value >> 64));
  value_read((uint64_t)value);
}

static __attribute__((unused)) void swapped16(unsigned __int128 old) {
  value_read((uint64_t)old);
  value_read((uint64_t)(old >> 64));
}

static __attribute__((unused)) unsigned __int128 twice(uint64_t word) {
  return (unsigned __int128)word << 64 | word;
}

static __attribute__((unused)) unsigned __int128 swap16_in_assembly(void *p, uint64_t expected, uint64_t desired) {
  uint64_t low = expected, high = expected;
  __asm__ volatile("lock cmpxchg16b %2"
                   : "+a"(low), "+d"(high), "+m"(*(whole128 *)p)
                   : "b"(desired), "c"(desired)
                   : "cc", "memory");
  return (unsigned __int128)high << 64 | low;
}

static __attribute__((unused)) void repeat_movsb(void *to, const void *from, size_t n) {
  __asm__ volatile("cld; rep movsb" : "+D"(to), "+S"(from), "+c"(n) : : "memory");
}

static __attribute__((unused)) void repeat_stosb(void *to, int value, size_t n) {
  __asm__ volatile("rep stosb" : "+D"(to), "+c"(n) : "a"(value) : "memory");
}

static __attribute__((unused)) double double_of(uint64_t bits) {
  double d;
  memcpy(&d, &bits, sizeof d);
  return d;
}

static __attribute__((unused)) float float_of(uint32_t bits) {
  float f;
  memcpy(&f, &bits, sizeof f);
  return f;
}

static __attribute__((unused)) void fill(uint8_t *bytes, unsigned size, unsigned first) {
  for (unsigned i = 0; i < size; i++)
    bytes[i] = (uint8_t)(first + i);
}

static __attribute__((unused)) void validate(uint8_t *p, unsigned size) {
  unsigned sum = 0;
  uint8_t bytes[64];
  tidemark_checksum_begin(p, size);
  for (unsigned i = 0; i < size; i++)
    sum += bytes[i] = p[i];
  tidemark_checksum_end(sum % 2 == 0);
  note(sum % 2 ? " -" : " ", 0);
  for (unsigned i = 0; i < size && sum % 2 == 0; i++)
    note("%02llx", bytes[i]);
  seen->last = sum % 2;
  if (sum % 2)
    memset(p, 0, size);
}

#endif
