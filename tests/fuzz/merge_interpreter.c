/* Runs a random program whose recovery forgets what it reads; see merge_random.py.
 *
 *   PROGRAM    BEFORE/AFTER, operations separated by blanks; *BEFORE/AFTER: a word that is stored first
 *              says that it is a recovery, so that recoveries after one and two failures are alike
 *   before     sA=V store, fA clflush, wA clwb, F sfence          A: word number, V: digit
 *   after      lRA   register R = word A                  iRA   its lower half      bRA   its lowest byte
 *              =RV   register R = V                      +RS   R += S           &RV   R &= V
 *              ?RN   skip N operations if R is 0         @RN   back N operations if R > 1, then R -= 1
 *              #V    forget all registers but R0..R(V-1) (they are 0 then)
 *              tAR   word A = R                          fA, wA, F  as before
 *              oR    tidemark_outcome                    !R    tidemark_assert(R == 0)
 *              mR    a block of R + 1 words: allocated, filled with R     M   given back
 *              pA    word A = address of the block: volatile memory lies elsewhere after a failure
 *              xRA   R = fetch_add of word A             kA    lock, add 1 to word A, unlock
 *
 * cxl:  PROGRAM|PROGRAM|..., one for each machine, of threads THREAD;THREAD;..., operations as after, and
 *              qRM   R = has machine M failed?           y     yield            PA    R0 = what word A points to
 *              mutexes (kA) are of all machines; merge_sync.h has more of those */
#include "merge_sync.h"
#include <immintrin.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tidemark.h>

#define WORDS 64
#define REGISTERS 4
#define TURNS_MAX 200

static long *words;
static _Thread_local long registers[REGISTERS];
static _Thread_local long *block;
static pthread_mutex_t own_lock = PTHREAD_MUTEX_INITIALIZER, *lock = &own_lock;

static long *word(char c) {
  int n = c >= 'a' ? c - 'a' + 10 : c - '0';
  return &words[n % 8 * 8 + n / 8]; /* neighbours lie in different lines */
}

static long *reg(char c) {
  return &registers[(c - '0') % REGISTERS];
}

static void persist(const char *op) {
  if (*op == 'f')
    _mm_clflush(word(op[1]));
  else if (*op == 'w')
    _mm_clwb(word(op[1]));
  else
    _mm_sfence();
}

static void say(long value) {
  char text[32];
  snprintf(text, sizeof text, "%ld", value);
  tidemark_outcome("%s", text);
}

/* Returns how far to go: 1 is the next operation. */
static int step(const char *op) {
  long *r = reg(op[1]);
  int n = op[1] && op[2] ? op[2] - '0' : 0;
  switch (*op) {
  case 'l': *r = *word(op[2]); break;
  case 'i': *r = *(int *)word(op[2]); break;
  case 'b': *r = *(unsigned char *)word(op[2]); break;
  case '=': *r = n; break;
  case '+': *r += *reg(op[2]); break;
  case '&': *r &= n; break;
  case '?': return *r ? 1 : n + 1;
  case '@': return (*r)-- > 1 ? -n : 1;
  case '#': for (int i = op[1] - '0'; i < REGISTERS; i++) registers[i] = 0; break;
  case 't': *word(op[1]) = *reg(op[2]); break;
  case 'o': say(*r); break;
  case '!': tidemark_assert(*r == 0); break;
  case 'm':
    free(block);
    block = malloc((size_t)(*r & 7) * 8 + 8);
    for (long i = 0; i <= (*r & 7); i++) block[i] = *r;
    break;
  case 'M': free(block); block = NULL; break;
  case 'p':
    if (!block)
      block = calloc(8, 8);
    *word(op[1]) = (long)block;
    break;
  case 'x': *r = __atomic_fetch_add(word(op[2]), 1, __ATOMIC_SEQ_CST); break;
  case 'k': pthread_mutex_lock(lock); ++*word(op[1]); pthread_mutex_unlock(lock); break;
  case 'q': *r = tidemark_machine_failed(n); break;
  case 'y': sched_yield(); break;
  case 'P': r = (long *)*word(op[1]); registers[0] = r > (long *)4096 ? *r : 0; break;
  default:
    n = shared ? sync_step(op) : -1;
    if (n >= 0)
      registers[0] += n;
    else
      persist(op);
  }
  return 1;
}

static void run(char **ops, int count, int is_recovery) {
  int turns = 0;
  for (int i = 0; i >= 0 && i < count && turns++ < TURNS_MAX;)
    if (is_recovery) {
      i += step(ops[i]);
    } else {
      if (ops[i][0] == 's')
        *word(ops[i][1]) = ops[i][3] - '0';
      else
        persist(ops[i]);
      i++;
    }
}

static int split(char *text, char **ops, int max) {
  int n = 0;
  for (char *p = strtok(text, " "); p && n < max; p = strtok(NULL, " "))
    ops[n++] = p;
  return n;
}

static int is_recovery(int alike) {
  long *begun = &words[WORDS - 1];
  if (!alike)
    return tidemark_failures() > 0;
  if (*begun)
    return 1;
  *begun = 1;
  _mm_clflush(begun);
  return 0;
}

/* Part number n of a text, as a copy of its own; NULL: there is none. */
static char *part(const char *text, int n, char separator) {
  for (; n > 0; n--) {
    text = strchr(text, separator);
    if (!text)
      return NULL;
    text++;
  }
  const char *end = strchr(text, separator);
  return end ? strndup(text, (size_t)(end - text)) : strdup(text);
}

static void *run_thread(void *text) {
  char *ops[256];
  run(ops, split(text, ops, 256), 1);
  return NULL;
}

static int run_machine(const char *text) {
  pthread_t threads[4];
  int count = 0;
  words = tidemark_region("words", WORDS * sizeof *words);
  lock = tidemark_region("lock", sizeof *lock);
  shared = tidemark_region("shared", sizeof *shared);
  char *own = part(text, tidemark_machine(), '|'), *thread;
  while (own && count < 4 && (thread = part(own, count + 1, ';')))
    pthread_create(&threads[count++], NULL, run_thread, thread);
  if (own)
    run_thread(part(own, 0, ';'));
  for (int i = 0; i < count; i++)
    pthread_join(threads[i], NULL);
  return 0;
}

int main(int argc, char **argv) {
  static char *before[256], *after[256];
  if (argc > 1 && strchr(argv[1], '|'))
    return run_machine(argv[1]);
  char *text = strdup(argc > 1 ? argv[1] : "/"), *slash = strchr(text, '/');
  int alike = *text == '*';
  *slash = 0;
  int befores = split(text + alike, before, 256), afters = split(slash + 1, after, 256);
  words = tidemark_region("words", WORDS * sizeof *words);
  if (is_recovery(alike))
    run(after, afters, 1);
  else
    run(before, befores, 0);
  return 0;
}
