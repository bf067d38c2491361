/* Runs a small random program that it is given as text, so that thousands of them need one build.
 *
 *      pm_interpreter SECTION[/SECTION...] [OFF,OFF...]
 *
 * Section 0 runs before any failure, section n after n of them, the last one after any more.  A
 * section is one or two threads that run one after the other: "A|B" joins A's thread before B
 * starts, "A&B" hands over with a plain store while A's thread is still alive.  Or it is several
 * threads that run together, "A;B;C", of which the first is the main thread.  Operations are
 * separated by spaces; numbers after @ = , + are hexadecimal, others decimal.  Offsets from 1000 on
 * are in ordinary memory.
 *
 *      sN@OFF=V     store N = 1, 2, 4, 8 bytes        nN@OFF=V   non-temporal store, N = 4, 8
 *      mN@OFF=V     memcpy N bytes V, V+1, ...        zN@OFF=V   memset
 *      yN@OFF=FROM  memmove N bytes inside the region AN@OFF=V   seq_cst store (xchg)
 *      RN@OFF=V     release store                     xN@OFF=V   exchange, old value read
 *      aN@OFF=V     fetch_add, old value read         cN@OFF=E,V compare E and swap V, old value read
 *      C16@OFF=E,V  the same for 16 bytes, both words alike
 *      f@OFF o@OFF w@OFF   clflush, clflushopt, clwb  S M L      sfence, mfence, lfence
 *      lN@OFF       load, value read                  rN@OFF     memcpy out of the region, read
 *      dN@OFF+V     store the last value read plus V
 *      ?K           skip the next K operations if the last value read is even;  !K  if it is zero
 *      v16@OFF=V    vector store, words V and V+1     V16@OFF    vector load, read
 *      #            assert that the last value read is even
 *      K U          lock and unlock a mutex
 *      T            try to lock it; read is whether it was free
 *      q8@OFF Q8@OFF   take a lock that is a word: swap 0 for 1 until that succeeds, and yield each time it
 *                   does not; Q looks whether it is 0 before it tries
 *      g8@OFF=N     the same in at most N attempts, which are counted in ordinary memory; read is how many were in vain
 *      i8@OFF j8@OFF   wait until the word is not zero, value read; j yields while it waits
 *      kN@OFF       checksum validation: N bytes, valid if their sum is even; an invalid one
 *                   reads as "-" and the bytes are cleared
 *
 * The outcome is everything that sections after a failure read.  With a second argument it is, for
 * every section, its number, what each of its threads read, and in the end the words at these
 * offsets. */
#include "interpreter.h"
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#define ORDINARY 0x1000 /* offsets from here on */

static uint64_t ordinary[8];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void atomic_store_of(void *p, unsigned size, uint64_t value, int order) {
  switch (size | (order == memory_order_seq_cst ? 0x10u : 0)) {
  case 0x01: __atomic_store_n((uint8_t *)p, (uint8_t)value, __ATOMIC_RELEASE); break;
  case 0x02: __atomic_store_n((uint16_t *)p, (uint16_t)value, __ATOMIC_RELEASE); break;
  case 0x04: __atomic_store_n((uint32_t *)p, (uint32_t)value, __ATOMIC_RELEASE); break;
  case 0x08: __atomic_store_n((uint64_t *)p, value, __ATOMIC_RELEASE); break;
  case 0x11: __atomic_store_n((uint8_t *)p, (uint8_t)value, __ATOMIC_SEQ_CST); break;
  case 0x12: __atomic_store_n((uint16_t *)p, (uint16_t)value, __ATOMIC_SEQ_CST); break;
  case 0x14: __atomic_store_n((uint32_t *)p, (uint32_t)value, __ATOMIC_SEQ_CST); break;
  case 0x18: __atomic_store_n((uint64_t *)p, value, __ATOMIC_SEQ_CST); break;
  default: abort();
  }
}

static void swap16(const struct operation *o, void *p) {
  unsigned __int128 expected = (unsigned __int128)o->a << 64 | o->a;
  unsigned __int128 desired = (unsigned __int128)o->b << 64 | o->b;
  unsigned __int128 old = __sync_val_compare_and_swap((unsigned __int128 *)p, expected, desired);
  value_read((uint64_t)old);
  value_read((uint64_t)(old >> 64));
}

static void validate(uint8_t *p, unsigned size) {
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

static void read_vector(const uint8_t *p) {
  uint64_t words[2];
  _mm_storeu_si128((__m128i_u *)words, _mm_loadu_si128((const __m128i_u *)p));
  value_read(words[1]);
  value_read(words[0]);
}

static void wait_for(uint8_t *p, int yields) {
  uint64_t value;
  while (!(value = __atomic_load_n((uint64_t *)p, __ATOMIC_ACQUIRE)))
    if (yields)
      sched_yield();
  value_read(value);
}

static void take_word(uint8_t *p, int looks) {
  uint64_t *word = (uint64_t *)p, expected = 0;
  while ((looks && __atomic_load_n(word, __ATOMIC_ACQUIRE)) ||
         !__atomic_compare_exchange_n(word, &expected, 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
    expected = 0;
    sched_yield();
  }
}

static _Thread_local unsigned tries;

static void try_word(uint8_t *p, uint64_t most) {
  uint64_t *word = (uint64_t *)p, expected = 0;
  for (tries = 0; tries < most; tries++) {
    if (__atomic_compare_exchange_n(word, &expected, 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
      break;
    expected = 0;
    sched_yield();
  }
  value_read(tries);
}

static void run_operation(const struct operation *o) {
  uint8_t *p =
      o->offset < ORDINARY ? region + o->offset : (uint8_t *)ordinary + o->offset - ORDINARY;
  switch (o->kind) {
  case 'n':
    if (o->size == 4)
      _mm_stream_si32((int *)p, (int)o->a);
    else
      _mm_stream_si64((long long *)p, (long long)o->a);
    break;
  case 'y': memmove(p, region + o->a, o->size); break;
  case 'z': memset(p, (int)o->a, o->size); break;
  case 'A': atomic_store_of(p, o->size, o->a, memory_order_seq_cst); break;
  case 'R': atomic_store_of(p, o->size, o->a, memory_order_release); break;
  case 'C': swap16(o, p); break;
  case 'k': validate(p, o->size); break;
  case 'v':
    _mm_storeu_si128((__m128i_u *)p, _mm_set_epi64x((long long)o->a + 1, (long long)o->a));
    break;
  case 'V': read_vector(p); break;
  case 'K': pthread_mutex_lock(&mutex); break;
  case 'U': pthread_mutex_unlock(&mutex); break;
  case 'T': value_read(!pthread_mutex_trylock(&mutex)); break;
  case 'q':
  case 'Q': take_word(p, o->kind == 'Q'); break;
  case 'g': try_word(p, o->a); break;
  case 'i':
  case 'j': wait_for(p, o->kind == 'j'); break;
  case '#': tidemark_assert(seen->last % 2 == 0); break;
  default: run_common(o, p);
  }
}

static const char *run_thread(const char *at) {
  unsigned skip = 0;
  for (;; at++) {
    while (*at == ' ')
      at++;
    if (!*at || strchr("|&;/", *at))
      return at;
    struct operation o = {.kind = *at};
    at = parse_operands(at + 1, &o, " |&;/");
    if (skip)
      skip--;
    else if (o.kind == '?')
      skip = seen->last % 2 ? 0 : o.size;
    else if (o.kind == '!')
      skip = seen->last ? 0 : o.size;
    else
      run_operation(&o);
    if (*at != ' ')
      return at;
  }
}

static const char *text;
static atomic_int handed_over, finished;

static void *first_thread(void *unused) {
  (void)unused;
  text = run_thread(text);
  atomic_store_explicit(&handed_over, 1, memory_order_release);
  while (*text == '&' && !atomic_load_explicit(&finished, memory_order_acquire))
    sched_yield();
  return NULL;
}

static void *second_thread(void *unused) {
  (void)unused;
  run_thread(text + 1);
  return NULL;
}

struct together {
  struct log *log;
  const char *text;
  pthread_t thread;
};

static void *run_beside(void *argument) {
  struct together *t = argument;
  seen = t->log;
  run_thread(t->text);
  return NULL;
}

/* Returns how many they are. */
static int run_together(const char *section) {
  struct together t[LOGS];
  int count = 1;
  const char *end = section + strcspn(section, "/");
  for (const char *at = section; (at += strcspn(at, ";/") + 1) <= end; count++) {
    if (count == LOGS)
      abort();
    t[count] = (struct together){.log = &logs[count], .text = at};
  }
  for (int i = 1; i < count; i++)
    pthread_create(&t[i].thread, NULL, run_beside, &t[i]);
  run_thread(section);
  for (int i = 1; i < count; i++)
    pthread_join(t[i].thread, NULL);
  return count;
}

static void check_together(int number, const char *section, const char *words) {
  char text[4000];
  int count = run_together(section), n = snprintf(text, sizeof text, "%d:", number);
  for (int i = 0; i < count; i++)
    n += snprintf(text + n, sizeof text - (size_t)n, "%s;", logs[i].text);
  for (const char *at = words; *at; at += *at == ',') {
    char *end;
    unsigned long offset = strtoul(at, &end, 16);
    n += snprintf(text + n, sizeof text - (size_t)n, " %llx",
                  (unsigned long long)load(region + offset, 8));
    at = end;
  }
  tidemark_outcome("%s", text);
}

static void run_section(const char *section) {
  size_t length = strcspn(section, "/"), first = strcspn(section, "|&");
  if (first >= length) {
    run_thread(section);
    return;
  }
  pthread_t a, b;
  text = section;
  pthread_create(&a, NULL, first_thread, NULL);
  if (section[first] == '|')
    pthread_join(a, NULL);
  while (!atomic_load_explicit(&handed_over, memory_order_acquire))
    sched_yield();
  pthread_create(&b, NULL, second_thread, NULL);
  pthread_join(b, NULL);
  atomic_store_explicit(&finished, 1, memory_order_release);
  if (section[first] == '&')
    pthread_join(a, NULL);
}

int main(int argc, char **argv) {
  if (argc != 2 && argc != 3)
    return 2;
  region = tidemark_region("pm", REGION_BYTES);
  int failures = tidemark_failures();
  const char *section = argv[1];
  int number = 0;
  for (; number < failures && strchr(section, '/'); number++)
    section = strchr(section, '/') + 1;
  if (argc == 3) {
    check_together(number, section, argv[2]);
    return 0;
  }
  run_section(section);
  if (failures)
    tidemark_outcome("%s", seen->length ? seen->text + 1 : "nothing");
  return 0;
}
