// A futex that has changed already is not waited for: the first thread may go on before it is woken.
// OUTCOMES: a=0; a=1
// COUNTS: 16 executions, 9 runs, 8 failure points
#include "../threads.h"
#include <linux/futex.h>
#include <sys/syscall.h>

static atomic_int word;
static int a;

THREAD(first) {
  while (atomic_load(&word) == 0)
    syscall(SYS_futex, &word, FUTEX_WAIT, 0, NULL, NULL, 0);
  Y = 1;
}

THREAD(second) {
  sched_yield();
  atomic_store(&word, 1);
  a = (int)Y;
  syscall(SYS_futex, &word, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static void after(union pm_line *line) {
  (void)line;
  tidemark_outcome("a=%d", a);
}

RUN_TEST(2, first, second)
