/* Runs a random program whose recovery forgets what it reads; see merge_random.py.
 *
 *   PROGRAM    BEFORE/AFTER, operations separated by blanks; *BEFORE/AFTER: a word that is stored first
 *              says that it is a recovery, so that recoveries after one and two failures are alike
 *   before     sA=V store, fA clflush, wA clwb, F sfence          A: word number, V: digit
 *   after      lRA   register R = word A
 *              =RV   register R = V                      +RS   R += S           &RV   R &= V
 *              ?RN   skip N operations if R is 0         @RN   back N operations if R > 1, then R -= 1
 *              #V    forget all registers but R0..R(V-1) (they are 0 then)
 *              tAR   word A = R                          fA, wA, F  as before
 *              oR    tidemark_outcome                    !R    tidemark_assert(R == 0)
 *              mR    a block of R + 1 words: allocated, filled with R     M   given back
 *              pA    word A = address of the block: volatile memory lies elsewhere after a failure
 *              xRA   R = fetch_add of word A             kA    lock, add 1 to word A, unlock */
#include <immintrin.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tidemark.h>

#define WORDS 64
#define REGISTERS 4
#define TURNS_MAX 200

static long *words;
static long registers[REGISTERS];
static long *block;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

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
  case 'k': pthread_mutex_lock(&lock); ++*word(op[1]); pthread_mutex_unlock(&lock); break;
  default: persist(op);
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

int main(int argc, char **argv) {
  static char *before[256], *after[256];
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
