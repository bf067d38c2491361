/* System calls that threads make through syscall(): futexes, which libstdc++ uses for futures,
 * latches, semaphores and static variables, and a few harmless questions. */
#include "process/system_call.h"
#include "process/virtual_clock.h"
#include "thread/futex.h"
#include "thread/sync_internal.h"
#include <limits.h>
#include <linux/futex.h>
#include <stdarg.h>
#include <unistd.h>

#define SECOND 1000000000
#define ALL_BITS FUTEX_BITSET_MATCH_ANY

static long fail(int error) {
  errno = error;
  return -1;
}

static struct thread_queue *queue_of(const void *address) {
  struct sync_object *o = sync_get(address, SYNC_FUTEX, sizeof *o);
  return &o->waiters;
}

static long futex_wait(const void *address, unsigned expected, unsigned long deadline,
                       unsigned bits, bool private, bool late) {
  if (bits == 0)
    return fail(EINVAL);
  if ((unsigned)sync_read(address, sizeof(int)) != expected)
    return fail(EAGAIN);
  if (late) {
    thread_pass_deadline(deadline);
    return fail(ETIMEDOUT);
  }
  thread_current()->futex_bits = bits;
  thread_current()->futex_private = private;
  return thread_wait_in(queue_of(address), address, "futex", deadline) ? 0 : fail(ETIMEDOUT);
}

/* The kernel keeps private waiters under another key than those that processes share: with one of the two forgotten
 * FUTEX_PRIVATE_FLAG nobody wakes up. */
static long futex_wake(const void *address, long count, unsigned bits, bool private) {
  struct thread_queue *q = queue_of(address);
  long woken = 0;
  for (struct thread *t = q->first, *next; t && woken < count; t = next) {
    next = t->queue_next;
    if (!(t->futex_bits & bits) || t->futex_private != private)
      continue;
    thread_wake(t);
    woken++;
  }
  return woken;
}

/* FUTEX_WAIT counts from now, FUTEX_WAIT_BITSET gives a point in time. */
static int wait_deadline(int op, const struct timespec *time, unsigned long *deadline) {
  *deadline = 0;
  if (!time)
    return 0;
  if ((op & FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET)
    return sync_deadline(op & FUTEX_CLOCK_REALTIME ? CLOCK_REALTIME : CLOCK_MONOTONIC, time,
                         deadline);
  if (time->tv_sec < 0 || time->tv_nsec < 0 || time->tv_nsec >= SECOND)
    return EINVAL;
  if (__builtin_mul_overflow((unsigned long)time->tv_sec, (unsigned long)SECOND, deadline) ||
      __builtin_add_overflow(*deadline, (unsigned long)time->tv_nsec + thread_virtual_time(),
                             deadline))
    *deadline = ULONG_MAX;
  return 0;
}

static bool is_wait(int op) {
  return (op & FUTEX_CMD_MASK) == FUTEX_WAIT || (op & FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET;
}

static long futex(const long *a) {
  const void *address = (const void *)a[0];
  int op = (int)a[1];
  unsigned value = (unsigned)a[2], bits = ALL_BITS;
  unsigned long deadline = 0;
  enum thread_way way = THREAD_WOKEN;
  bool waits = is_wait(op), private = op & FUTEX_PRIVATE_FLAG;
  if (waits && wait_deadline(op, (const struct timespec *)a[3], &deadline))
    return fail(EINVAL);
  bool late = waits && thread_is_late(deadline);
  if (!sync_on_host()) {
    way = thread_at_futex(address, waits, waits && deadline && !late ? &value : NULL);
    thread_memory.full_fence();
    thread_memory.synchronise();
  }
  switch (op & FUTEX_CMD_MASK) {
  case FUTEX_WAIT_BITSET:
    bits = (unsigned)a[5];
    /* fall through */
  case FUTEX_WAIT:
    return futex_wait(address, value, deadline, bits, private, late || way == THREAD_TIMES_OUT);
  case FUTEX_WAKE_BITSET:
    bits = (unsigned)a[5];
    /* fall through */
  case FUTEX_WAKE:
    return futex_wake(address, (int)value < 1 ? 1 : (int)value, bits, private);
  default:
    stop_with(STOP_REFUSED, NULL, "futex operation %d is not supported in a checked program",
              op & FUTEX_CMD_MASK);
  }
}

void futex_wait_while(const void *word, unsigned value) {
  futex((const long[6]){(long)word, FUTEX_WAIT, (long)value});
}

void futex_wake_all(const void *word) {
  futex((const long[6]){(long)word, FUTEX_WAKE, INT_MAX});
}

static struct timespec time_on(clockid_t clock) {
  unsigned long ns = clock_read(clock);
  return (struct timespec){(time_t)(ns / SECOND), (long)(ns % SECOND)};
}

long sync_system_call(long number, const long *a) {
  switch (number) {
  case SYS_futex:
    return futex(a);
  case SYS_gettid:
    return thread_tid(thread_current());
  case SYS_getpid:
    return thread_pid();
  case SYS_sched_yield:
    thread_yield();
    return 0;
  case SYS_getrandom:
    for (long i = 0; i < a[1]; i++)
      ((unsigned char *)a[0])[i] = (unsigned char)clock_random();
    return a[1];
  case SYS_clock_gettime:
    *(struct timespec *)a[1] = time_on((clockid_t)a[0]);
    return 0;
  case SYS_membarrier:
    sync_enter(SYNC_LOCKED, NULL);
    return 0;
  case SYS_getcpu:
    if (a[0])
      *(unsigned *)a[0] = (unsigned)sync_cpu();
    if (a[1])
      *(unsigned *)a[1] = 0;
    return 0;
  default:
    stop_with(STOP_REFUSED, NULL, "syscall(%ld, ...) is not supported in a checked program",
              number);
  }
}

INTERPOSE pid_t gettid(void) {
  return CALLED_BY_PROGRAM() ? thread_tid(thread_current()) : (pid_t)system_call(SYS_gettid);
}

INTERPOSE long syscall(long number, ...) {
  long a[6];
  va_list args;
  va_start(args, number);
  for (int i = 0; i < 6; i++)
    a[i] = va_arg(args, long);
  va_end(args);
  if (!CALLED_BY_PROGRAM())
    return system_call_errno(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  return sync_system_call(number, a);
}
