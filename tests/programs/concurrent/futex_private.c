/* FUTEX_PRIVATE_FLAG forgotten where the other is woken: the kernel keeps private waiters apart. */
#define _GNU_SOURCE
#include "twin.h"
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef FIXED
enum { WAKE = FUTEX_WAKE_PRIVATE };
#else
enum { WAKE = FUTEX_WAKE };
#endif

static atomic_int ready;

static void *waits(void *unused) {
  while (!atomic_load(&ready))
    syscall(SYS_futex, &ready, FUTEX_WAIT_PRIVATE, 0, NULL);
  return unused;
}

static void *wakes(void *unused) {
  atomic_store(&ready, 1);
  syscall(SYS_futex, &ready, WAKE, 1);
  return unused;
}

int main(void) {
  run_both(waits, wakes);
}
