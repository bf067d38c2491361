/* What pm_interpreter.c and cxl_interpreter.c share: operations as text, and those that mean the
 * same in both.  The includer says where its region is (`region`). */
#ifndef TESTS_FUZZ_INTERPRETER_H
#define TESTS_FUZZ_INTERPRETER_H

#include "../programs/pm/pm.h"
#include <stdio.h>
#include <stdlib.h>

#define REGION_BYTES 512

struct operation {
  int turn; /* cxl: of its thread in a round */
  char kind;
  unsigned size, offset;
  uint64_t a, b;
};

/* What was read: by all threads that take turns, or by one of those that run together. */
#define LOGS 4
struct log {
  uint64_t last;
  char text[4000];
  size_t length;
};

static uint8_t *region;
static struct log logs[LOGS];
static _Thread_local struct log *seen = logs;

static void note(const char *format, unsigned long long value) {
  seen->length += (size_t)snprintf(seen->text + seen->length, sizeof seen->text - seen->length,
                                   format, value);
}

static void value_read(uint64_t value) {
  seen->last = value;
  note(" %llx", value);
}

/* "8@40=1,2" and parts of it; returns what follows, which must be one of `ends` or nothing. */
static const char *parse_operands(const char *at, struct operation *o, const char *ends) {
  char *end = (char *)at;
  if (*end >= '0' && *end <= '9')
    o->size = (unsigned)strtoul(end, &end, 10);
  if (*end == '@')
    o->offset = (unsigned)strtoul(end + 1, &end, 16);
  if (*end == '=' || *end == '+')
    o->a = strtoull(end + 1, &end, 16);
  if (*end == ',')
    o->b = strtoull(end + 1, &end, 16);
  if (*end && !strchr(ends, *end))
    abort();
  return end;
}

#ifdef FOREIGN /* in code that is built without hooks: foreign.c */
void store(void *p, unsigned size, uint64_t value);
uint64_t load(const void *p, unsigned size);
#else
#include "foreign.c"
#endif

#define READ_MODIFY_WRITE(type)                                                                    \
  switch (o->kind) {                                                                               \
  case 'x': return __atomic_exchange_n((type *)p, (type)o->a, __ATOMIC_SEQ_CST);                   \
  case 'a': return __atomic_fetch_add((type *)p, (type)o->a, __ATOMIC_ACQ_REL);                    \
  default: {                                                                                       \
    type expected = (type)o->a;                                                                    \
    __atomic_compare_exchange_n((type *)p, &expected, (type)o->b, 0, __ATOMIC_SEQ_CST,             \
                                __ATOMIC_RELAXED);                                                 \
    return expected;                                                                               \
  }                                                                                                \
  }

static uint64_t modify(const struct operation *o, void *p) {
  switch (o->size) {
  case 1: READ_MODIFY_WRITE(uint8_t)
  case 2: READ_MODIFY_WRITE(uint16_t)
  case 4: READ_MODIFY_WRITE(uint32_t)
  case 8: READ_MODIFY_WRITE(uint64_t)
  default: abort();
  }
}

static void bytes_read(const uint8_t *bytes, unsigned size) {
  note(" ", 0);
  for (unsigned i = 0; i < size; i++)
    note("%02llx", bytes[i]);
  seen->last = bytes[0];
}

static void read_range(const uint8_t *p, unsigned size) {
  uint8_t bytes[64];
  memcpy(bytes, p, size);
  bytes_read(bytes, size);
}

static void write_range(uint8_t *p, unsigned size, uint64_t first) {
  uint8_t bytes[64];
  for (unsigned i = 0; i < size; i++)
    bytes[i] = (uint8_t)(first + i);
  memcpy(p, bytes, size);
}

/* What both models have; aborts at anything else. */
static void run_common(const struct operation *o, uint8_t *p) {
  switch (o->kind) {
  case 's': store(p, o->size, o->a); break;
  case 'd': store(p, o->size, seen->last + o->a); break;
  case 'm': write_range(p, o->size, o->a); break;
  case 'x': case 'a': case 'c': value_read(modify(o, p)); break;
  case 'f': clflush(p); break;
  case 'o': clflushopt(p); break;
  case 'w': clwb(p); break;
  case 'S': _mm_sfence(); break;
  case 'M': _mm_mfence(); break;
  case 'L': _mm_lfence(); break;
  case 'l': value_read(load(p, o->size)); break;
  case 'r': read_range(p, o->size); break;
  default: abort();
  }
}

#endif
