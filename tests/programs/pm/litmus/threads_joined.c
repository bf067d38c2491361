// Two threads, one after the other: one order of the stores to a line.
// OUTCOMES: x=0 x'=0; x=1 x'=0; x=1 x'=1
// COUNTS: 4 executions, 4 runs, 1 failure points
#include "../pm.h"

static void *first(void *line) {
  ((union pm_line *)line)->word[0] = 1;
  return NULL;
}

static void *second(void *line) {
  ((union pm_line *)line)->word[1] = 1;
  return NULL;
}

static void run(void *(*start)(void *), union pm_line *line) {
  pthread_t thread;
  pthread_create(&thread, NULL, start, line);
  pthread_join(thread, NULL);
}

static void before(union pm_line *line) {
  run(first, line);
  run(second, line);
}

static void after(union pm_line *line) {
  tidemark_outcome("x=%d x'=%d", (int)X, (int)X2);
}

PM_TEST(1)
