// Another thread gets its turn during a validation: what it read is not thrown away with a wrong
// checksum.
// OUTCOMES: right 0; right 1; wrong 0; wrong 1
// COUNTS: 7 executions, 7 runs, 1 failure points
#include "../pm.h"
#include <pthread.h>
#include <sched.h>

static uint64_t seen;

static void *look(void *argument) {
  union pm_line *line = argument;
  seen = Y;
  return NULL;
}

static void before(union pm_line *line) {
  X = 5;
  X2 = 6;
  Y = 1;
}

static void after(union pm_line *line) {
  pthread_t thread;
  pthread_create(&thread, NULL, look, line);
  tidemark_checksum_begin(&X, 16);
  uint64_t data = X;
  sched_yield();
  int right = X2 == data + 1;
  tidemark_checksum_end(right);
  pthread_join(thread, NULL);
  tidemark_outcome("%s %d", right ? "right" : "wrong", (int)seen);
}

PM_TEST(2)
