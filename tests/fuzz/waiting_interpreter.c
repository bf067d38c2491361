/* Machines with locks of their own, for waiting_cxl_random.py: PROG ROUNDS SCRIPT... with a script for each machine.
 *
 * ROUNDS 0: whoever waits waits for ever; otherwise it says so after so many rounds of a loop, and ends.  Operations of a
 * script, on one of four words on three lines:
 *     xN cN tN  take lock N by exchange, by compare-and-exchange, by a load and an exchange
 *     kN        take ticket lock N, whose words are N and N ^ 1
 *     uN        release; nN: of a ticket lock
 *     wNV       wait until word N is V
 *     pNM       wait until word N is not 0 or machine M has failed
 *     sNV fN    store V, flush; rN: say what is there; y: let others go first
 * A capital X, C, T, W yields in each round. */
#include <immintrin.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <tidemark.h>

static _Atomic(unsigned long) *words;
static long rounds_max;

static _Atomic(unsigned long) *word(char n) {
  static const int place[] = {0, 1, 8, 16};
  return &words[place[(n - '0') & 3]];
}

static void round_over(long *rounds, int yields) {
  if (rounds_max && ++*rounds == rounds_max) {
    tidemark_outcome("gave up");
    exit(0);
  }
  if (yields)
    sched_yield();
}

static void take(char kind, _Atomic(unsigned long) *lock, int yields) {
  unsigned long none = 0;
  long rounds = 0;
  if (kind == 'x')
    while (atomic_exchange(lock, 1))
      round_over(&rounds, yields);
  else if (kind == 'c')
    for (; !atomic_compare_exchange_strong(lock, &none, 1); none = 0)
      round_over(&rounds, yields);
  else
    while (atomic_load(lock) || atomic_exchange(lock, 1))
      round_over(&rounds, yields);
}

static void wait_for(_Atomic(unsigned long) *at, unsigned long value, int yields) {
  long rounds = 0;
  while (atomic_load(at) != value)
    round_over(&rounds, yields);
}

static void poll(_Atomic(unsigned long) *at, int machine) {
  long rounds = 0;
  while (!atomic_load(at) && !tidemark_machine_failed(machine))
    round_over(&rounds, 1);
}

static const char *step(const char *s) {
  char kind = *s, n = s[1];
  int yields = kind < 'a';
  _Atomic(unsigned long) *at = word(n);
  kind |= 0x20;
  if (kind == 'y') {
    sched_yield();
    return s + 1;
  }
  if (kind == 'x' || kind == 'c' || kind == 't')
    take(kind, at, yields);
  if (kind == 'k')
    wait_for(word(n ^ 1), atomic_fetch_add(at, 1), 1);
  if (kind == 'u')
    atomic_store_explicit(at, 0, memory_order_release);
  if (kind == 'n')
    atomic_fetch_add(word(n ^ 1), 1);
  if (kind == 'w')
    wait_for(at, (unsigned long)(s[2] - '0'), yields);
  if (kind == 'p')
    poll(at, s[2] - '0');
  if (kind == 's')
    atomic_store_explicit(at, (unsigned long)(s[2] - '0'), memory_order_relaxed);
  if (kind == 'f')
    _mm_clflush(at);
  if (kind == 'r')
    tidemark_outcome("r%c=%lu", n, atomic_load(at));
  return s + (kind == 'w' || kind == 'p' || kind == 's' ? 3 : 2);
}

int main(int argc, char **argv) {
  words = tidemark_region("words", 192);
  rounds_max = atol(argv[1]);
  if (tidemark_machine() + 2 < argc)
    for (const char *s = argv[2 + tidemark_machine()]; *s;)
      s = step(s);
}
