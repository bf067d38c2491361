/* Runs a small random program for several machines that it is given as text, so that thousands of
 * them need one build.
 *
 *      cxl_interpreter PROGRAM
 *
 * PROGRAM is the global order of all operations, separated by spaces.  An operation begins with
 * the machine that executes it, 0 1 2 its main thread, a b c another thread of machine 0 1 2; numbers
 * after @ = , + are hexadecimal, others decimal:
 *
 *      sN@OFF=V     store N = 1, 2, 4, 8 bytes        lN@OFF     load, value read
 *      mN@OFF=V     memcpy N bytes V, V+1, ...        rN@OFF     memcpy out of the region, read
 *      xN@OFF=V     exchange, old value read          aN@OFF=V   fetch_add, old value read
 *      cN@OFF=E,V   compare E and swap V, old value read
 *      f@OFF o@OFF w@OFF   clflush, clflushopt, clwb  S M L      sfence, mfence, lfence
 *      dN@OFF+V     store the last value read plus V  q@M        has machine M failed? read
 *      ?K           skip this machine's next K operations if its last value read is even
 *
 * A machine that reads poison notes "P" before the value.  Every machine gives as its outcome what
 * it has read and which machines have failed by then, "0:12 0/000", machine 0 first.
 *
 * Nothing but the region is shared, so the order comes from the schedule: ready threads take turns,
 * in each round every one once, in the order a 0 b 1 c 2 (other threads are created in the first
 * round, before their machine's main thread yields).  An operation of an earlier thread than the one
 * before it in the text begins a new round.  A machine that has failed just misses its turns, which
 * leaves the order of the others as it is. */
#include "../programs/pm/pm.h"
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#define REGION_BYTES 512

static uint8_t *region;
static const char *program;
static uint64_t last;
static unsigned skip;
static char values[4000];
static size_t values_length;

struct operation {
  int turn; /* of its thread in a round */
  char kind;
  unsigned size, offset;
  uint64_t a, b;
};

static void note(const char *format, unsigned long long value) {
  values_length += (size_t)snprintf(values + values_length, sizeof values - values_length, format,
                                    value);
}

static void value_read(uint64_t value) {
  last = value;
  note(" %llx", value);
}

static void poison_read(void *address) {
  (void)address;
  note(" P", 0);
}

static const char *parse(const char *at, struct operation *o) {
  char *end = (char *)at + 2;
  *o = (struct operation){.turn = *at >= 'a' ? (*at - 'a') * 2 : (*at - '0') * 2 + 1, .kind = at[1]};
  if (*end >= '0' && *end <= '9')
    o->size = (unsigned)strtoul(end, &end, 10);
  if (*end == '@')
    o->offset = (unsigned)strtoul(end + 1, &end, 16);
  if (*end == '=' || *end == '+')
    o->a = strtoull(end + 1, &end, 16);
  if (*end == ',')
    o->b = strtoull(end + 1, &end, 16);
  if (*end && *end != ' ')
    abort();
  return *end ? end + 1 : end;
}

static void store(void *p, unsigned size, uint64_t value) {
  switch (size) {
  case 1: *(volatile uint8_t *)p = (uint8_t)value; break;
  case 2: *(volatile any16 *)p = (uint16_t)value; break;
  case 4: *(volatile any32 *)p = (uint32_t)value; break;
  case 8: *(volatile any64 *)p = value; break;
  default: abort();
  }
}

static uint64_t load(const void *p, unsigned size) {
  switch (size) {
  case 1: return *(const volatile uint8_t *)p;
  case 2: return *(const volatile any16 *)p;
  case 4: return *(const volatile any32 *)p;
  case 8: return *(const volatile any64 *)p;
  default: abort();
  }
}

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

static void read_range(const uint8_t *p, unsigned size) {
  uint8_t bytes[64];
  memcpy(bytes, p, size);
  note(" ", 0);
  for (unsigned i = 0; i < size; i++)
    note("%02llx", bytes[i]);
  last = bytes[0];
}

static void write_range(uint8_t *p, unsigned size, uint64_t first) {
  uint8_t bytes[64];
  for (unsigned i = 0; i < size; i++)
    bytes[i] = (uint8_t)(first + i);
  memcpy(p, bytes, size);
}

static void run_operation(const struct operation *o) {
  uint8_t *p = region + o->offset;
  switch (o->kind) {
  case 's': store(p, o->size, o->a); break;
  case 'd': store(p, o->size, last + o->a); break;
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
  case 'q': value_read((uint64_t)tidemark_machine_failed((int)o->offset)); break;
  default: abort();
  }
}

static void run_thread(int self) {
  int before = 0;
  struct operation o;
  for (const char *text = program; *text;) {
    text = parse(text, &o);
    if (o.turn < before)
      sched_yield();
    before = o.turn;
    if (o.turn != self)
      continue;
    if (skip)
      skip--;
    else if (o.kind == '?')
      skip = last % 2 ? 0 : o.size;
    else
      run_operation(&o);
  }
  sched_yield();
}

static void *other_thread(void *unused) {
  (void)unused;
  run_thread(tidemark_machine() * 2);
  return NULL;
}

/* Is there a program for other threads? */
static int has_other_threads(void) {
  for (const char *c = program; *c; c++)
    if ((c == program || c[-1] == ' ') && *c >= 'a')
      return 1;
  return 0;
}

static void run_machine(void) {
  pthread_t other;
  int threads = has_other_threads();
  if (threads) {
    pthread_create(&other, NULL, other_thread, NULL);
    sched_yield();
  }
  run_thread(tidemark_machine() * 2 + 1);
  if (threads)
    pthread_join(other, NULL);
}

int main(int argc, char **argv) {
  char failed[17] = "";
  if (argc != 2)
    return 2;
  region = tidemark_region("cxl", REGION_BYTES);
  tidemark_on_poison(poison_read);
  program = argv[1];
  run_machine();
  for (int m = 0; m < tidemark_machines(); m++)
    failed[m] = tidemark_machine_failed(m) ? '1' : '0';
  tidemark_outcome("%d:%s/%s", tidemark_machine(), values_length ? values + 1 : "-", failed);
  return 0;
}
