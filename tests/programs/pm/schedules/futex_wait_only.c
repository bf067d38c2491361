// The same without a look at the word before: only the kernel's comparison tells.
// OUTCOMES: a=0; a=1
// COUNTS: 8 executions, 5 runs, 4 failure points
#include "../threads.h"
#include <linux/futex.h>
#include <sys/syscall.h>

static atomic_int word;
static int a;

THREAD(first) {
  syscall(SYS_futex, &word, FUTEX_WAIT, 0, NULL, NULL, 0);
  Y = 1;
}

THREAD(second) {
  atomic_store(&word, 1);
  a = (int)Y;
  syscall(SYS_futex, &word, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static void after(union pm_line *line) {
  (void)line;
  tidemark_outcome("a=%d", a);
}

RUN_TEST(2, second, first)
