// Threads allocate, hand blocks over by an atomic variable in the heap and give back those of others: addresses
// depend on nobody else, so that one execution for each trace is enough.
// OUTCOMES: 000; 001; 0a0; 0a1; 0a2; b00; b01; b02
// COUNTS: 20 executions, 12 runs, 8 failure points
#include "../threads.h"
#include <stdatomic.h>
#include <stdlib.h>

struct shared {
  _Atomic(uint64_t *) newest;
  pthread_mutex_t lock;
  uint64_t count;
};
static struct shared *shared;

static void hand_over(uint64_t value, uint64_t *got) {
  uint64_t *mine = malloc(sizeof *mine);
  *mine = value;
  uint64_t *old = atomic_exchange(&shared->newest, mine);
  if (old) {
    *got = *old;
    clflush(got);
    free(old);
  }
}

static void count(union pm_line *line) {
  pthread_mutex_lock(&shared->lock);
  uint64_t *more = malloc(sizeof *more);
  *more = ++shared->count;
  line[2].word[0] = *more;
  free(more);
  pthread_mutex_unlock(&shared->lock);
}

THREAD(first) {
  hand_over(10, &X);
  count(line);
}

THREAD(second) {
  hand_over(11, &Y);
  count(line);
}

int main(void) {
  union pm_line *line = pm_lines(3);
  if (tidemark_failures()) {
    tidemark_outcome("%x%x%x", (int)X, (int)Y, (int)line[2].word[0]);
    return 0;
  }
  shared = calloc(1, sizeof *shared);
  pthread_mutex_init(&shared->lock, NULL);
  TOGETHER(line, first, second);
  free(shared->newest);
  free(shared);
  return 0;
}
