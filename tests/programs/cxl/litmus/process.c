// OPTIONS: --failures=0
// OUTCOMES: 0 done + 1 done
// COUNTS: 1 executions, 1 runs, 0 failure points
// OPTIONS:
// OUTCOMES: 0 done; 0 done + 1 done; 1 done; 1 took over + 1 done
// COUNTS: 8 executions, 7 runs, 5 failure points
// As programs of several processes do it: the owner of a lock is a process, and whoever waits asks the system whether it
// still exists.  Machines have different numbers; one that has failed is gone.
#define _GNU_SOURCE
#include "../cxl.h"
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static _Atomic uint64_t *owner(void) {
  return (_Atomic uint64_t *)cxl_word(0);
}

static void lock(uint64_t self) {
  for (uint64_t other = 0; !atomic_compare_exchange_strong(owner(), &other, self); other = 0) {
    tidemark_assert(other != self);
    if (kill((pid_t)other, 0) && errno == ESRCH && atomic_compare_exchange_strong(owner(), &other, self)) {
      SHOW("%d took over", tidemark_machine());
      break;
    }
    sched_yield();
  }
  clflush(owner());
}

int main(void) {
  tidemark_assert(getpid() == gettid() && getpid() == syscall(SYS_getpid) && kill(getpid(), 0) == 0);
  lock((uint64_t)getpid());
  yield_rounds(2);
  tidemark_assert(*owner() == (uint64_t)getpid());
  atomic_store(owner(), 0);
  clflush(owner());
  SHOW("%d done", tidemark_machine());
}
