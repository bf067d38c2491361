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
 *      yN@OFF=FROM  memmove N bytes inside the region zN@OFF=V   memset
 *      pN@OFF=FROM,F  pmem_memmove with flags F       PN@OFF=V,F pmem_memset with flags F
 *      IN@OFF=V     read from a file, N bytes V, V+1, ...
 *      ON@OFF       write to a file, what arrived there is read
 *      kN@OFF=V     strcpy N characters V             K@OFF=FROM strcpy inside the region, length read
 *      n@OFF        strlen, read                      hN@OFF=V   memchr, index read
 *      eN@OFF=OTHER memcmp: 0, 1, 2 (less) read       E@OFF=OTHER  strcmp, likewise
 *      A16@OFF=V    16-byte atomic store, both words V   X16@OFF 16-byte atomic load, both words read
 *      C16@OFF=E,V  16-byte compare and swap, words alike, old ones read
 *
 * A machine that reads poison notes "P" before the value.  Every machine gives as its outcome what
 * it has read and which machines have failed by then, "0:12 0/000", machine 0 first.
 *
 * Nothing but the region is shared, so the order comes from the schedule: ready threads take turns,
 * in each round every one once, in the order a 0 b 1 c 2 (other threads are created in the first
 * round, before their machine's main thread yields).  An operation of an earlier thread than the one
 * before it in the text begins a new round.  A machine that has failed just misses its turns, which
 * leaves the order of the others as it is.
 *
 * With a * before it PROGRAM is not in order: each thread does its part, when is up to the schedule.  The
 * outcome of a machine is then what either of its threads has read, "0:12 0|3/000". */
#define _GNU_SOURCE
#include "interpreter.h"
#include <fcntl.h>
#include <libpmem.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

static const char *program;
static int together; /* threads run as the schedule has it, each with what it reads for itself */
static unsigned skip_of_machine;
static _Thread_local unsigned skip_of_thread;

static void poison_read(void *address) {
  (void)address;
  note(" P", 0);
}

static const char *parse(const char *at, struct operation *o) {
  *o = (struct operation){.turn = *at >= 'a' ? (*at - 'a') * 2 : (*at - '0') * 2 + 1, .kind = at[1]};
  const char *end = parse_operands(at + 2, o, " ");
  return *end ? end + 1 : end;
}

typedef unsigned __int128 u128;

static u128 twice(uint64_t word) {
  return (u128)word << 64 | word;
}

static void words_read(u128 value) {
  value_read((uint64_t)value);
  value_read((uint64_t)(value >> 64));
}

/* A file without a name: other checks at the same time have their own. */
static int file(void) {
  static int fd = -1;
  if (fd < 0)
    fd = open("/tmp", O_TMPFILE | O_RDWR, 0600);
  return fd;
}

#define INPUT_AT 64 /* in the file */

static void read_file(uint8_t *p, unsigned size, uint64_t first) {
  uint8_t bytes[64];
  for (unsigned i = 0; i < size; i++)
    bytes[i] = (uint8_t)(first + i);
  if (pwrite(file(), bytes, size, INPUT_AT) != size || pread(file(), p, size, INPUT_AT) != size)
    abort();
}

static void write_file(const uint8_t *p, unsigned size) {
  uint8_t bytes[64];
  if (pwrite(file(), p, size, 0) != size || pread(file(), bytes, size, 0) != size)
    abort();
  bytes_read(bytes, size);
}

static void copy_text(char *p, unsigned length, uint64_t character) {
  char text[64] = {0};
  memset(text, (int)character, length);
  strcpy(p, text);
}

static uint64_t order(int compared) {
  return compared == 0 ? 0 : compared < 0 ? 2 : 1;
}

static void find_byte(const uint8_t *p, unsigned size, int byte) {
  const uint8_t *found = memchr(p, byte, size);
  value_read(found ? (uint64_t)(found - p) : size);
}

static void run_operation(const struct operation *o) {
  uint8_t *p = region + o->offset, *other = region + o->a;
  char *text = (char *)p;
  switch (o->kind) {
  case 'q': value_read((uint64_t)tidemark_machine_failed((int)o->offset)); break;
  case 'y': memmove(p, other, o->size); break;
  case 'z': memset(p, (int)o->a, o->size); break;
  case 'p': pmem_memmove(p, other, o->size, (unsigned)o->b); break;
  case 'P': pmem_memset(p, (int)o->a, o->size, (unsigned)o->b); break;
  case 'I': read_file(p, o->size, o->a); break;
  case 'O': write_file(p, o->size); break;
  case 'k': copy_text(text, o->size, o->a); break;
  case 'K': value_read((uint64_t)(stpcpy(text, (char *)other) - text)); break;
  case 'n': value_read(strlen(text)); break;
  case 'h': find_byte(p, o->size, (int)o->a); break;
  case 'e': value_read(order(memcmp(p, other, o->size))); break;
  case 'E': value_read(order(strcmp(text, (char *)other))); break;
  case 'A': __atomic_store_n((u128 *)p, twice(o->a), __ATOMIC_SEQ_CST); break;
  case 'X': words_read(__atomic_load_n((u128 *)p, __ATOMIC_SEQ_CST)); break;
  case 'C': words_read(__sync_val_compare_and_swap((u128 *)p, twice(o->a), twice(o->b))); break;
  default: run_common(o, p);
  }
}

static void run_thread(int self) {
  int before = 0;
  struct operation o;
  for (const char *text = program; *text;) {
    text = parse(text, &o);
    if (o.turn < before && !together)
      sched_yield();
    before = o.turn;
    if (o.turn != self)
      continue;
    unsigned *skip = together ? &skip_of_thread : &skip_of_machine;
    if (*skip)
      --*skip;
    else if (o.kind == '?')
      *skip = seen->last % 2 ? 0 : o.size;
    else
      run_operation(&o);
  }
  if (!together)
    sched_yield();
}

static void *other_thread(void *unused) {
  (void)unused;
  seen = &logs[together];
  run_thread(tidemark_machine() * 2);
  return NULL;
}

/* Is there a program for other threads? */
static int has_other_threads(void) {
  for (const char *c = program; *c; c++)
    if ((c == program || c[-1] == ' ') && *c >= 'a' && (!together || *c == 'a' + tidemark_machine()))
      return 1;
  return 0;
}

static void run_machine(void) {
  pthread_t other;
  int threads = has_other_threads();
  if (threads) {
    pthread_create(&other, NULL, other_thread, NULL);
    if (!together)
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
  together = argv[1][0] == '*';
  program = argv[1] + together;
  run_machine();
  for (int m = 0; m < tidemark_machines(); m++)
    failed[m] = tidemark_machine_failed(m) ? '1' : '0';
  const char *read = logs[0].length ? logs[0].text + 1 : "-";
  if (together)
    tidemark_outcome("%d:%s|%s/%s", tidemark_machine(), read, logs[1].text, failed);
  else
    tidemark_outcome("%d:%s/%s", tidemark_machine(), read, failed);
  return 0;
}
