/* Transactions of the processor (RTM) always abort: what a program does without them is checked.
 *
 * RUN: rm -rf %t && mkdir -p %t && %tidemark_cc -mrtm %s -pthread -o %t/lock 2> %t/warned.txt
 * RUN: %FileCheck --check-prefix=WARNED --implicit-check-not=warning: %s < %t/warned.txt
 * RUN: %t/lock
 * RUN: %tidemark check --model=tso %t/lock 2>&1 | %FileCheck --check-prefix=CLEAN %s
 * CLEAN: no findings; the search is complete
 *
 * Who only tries again waits for ever.
 * RUN: %tidemark_cc -w -DAGAIN -mrtm %s -pthread -o %t/again 2> %t/quiet.txt && test ! -s %t/quiet.txt
 * RUN: ! %tidemark check --model=sc %t/again 2>&1 | %FileCheck --check-prefix=AGAIN %s
 * AGAIN: error[{{hang|deadlock}}]
 */
#include <immintrin.h>
#include <pthread.h>
#include <stdatomic.h>
#include <tidemark.h>

static atomic_int held;
static int count;

static void enter(void) {
#ifdef AGAIN
  while (_xbegin() != _XBEGIN_STARTED)
    ;
#else
  if (_xbegin() == _XBEGIN_STARTED) {
    // WARNED: transaction.c:[[@LINE-1]]:7: warning: transactions (xbegin) always abort in the checker [-Wtidemark]
    if (atomic_load(&held))
      _xabort(1);
    return;
  }
  while (atomic_exchange(&held, 1))
    ;
#endif
}

static void leave(void) {
  if (_xtest())
    _xend();
  else
    atomic_store(&held, 0);
}

static void *add(void *unused) {
  enter();
  count++;
  leave();
  return unused;
}

int main(void) {
  pthread_t other;
  pthread_create(&other, NULL, add, NULL);
  add(NULL);
  pthread_join(other, NULL);
  tidemark_assert(count == 2);
  return 0;
}
