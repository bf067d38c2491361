#include "worker.h"
#include <sched.h>
#include <stdlib.h>
#include <tidemark.h>

static uint64_t greatest_common_divisor(uint64_t a, uint64_t b) {
  return b ? greatest_common_divisor(b, a % b) : a;
}

static struct sequence sequence_of(uint64_t count) {
  uint64_t step = count * 5 / 8 + 1;
  while (greatest_common_divisor(count, step) != 1)
    step++;
  return (struct sequence){count, step};
}

struct worker worker_of(struct index *index, struct progress *progress, uint64_t keys,
                        uint64_t number, uint64_t workers) {
  return (struct worker){.index = index,
                         .progress = progress,
                         .sequence = sequence_of(keys),
                         .first = number,
                         .stride = workers,
                         .count = keys / workers + (number < keys % workers)};
}

static uint64_t worker_key(const struct worker *worker, uint64_t number) {
  const struct sequence *sequence = &worker->sequence;
  return 1 + (worker->first + number * worker->stride) * sequence->step % sequence->count;
}

static uint64_t value_of(uint64_t key) {
  return key * 100;
}

static void *worker_run(void *argument) {
  struct worker *worker = argument;
  struct progress *progress = worker->progress;
  uint64_t done = load(&progress->done);
  while (done < worker->count) {
    uint64_t key = worker_key(worker, done);
    index_insert(worker->index, key, value_of(key));
    done++;
    store(&progress->done, done);
    persist(&progress->done, sizeof progress->done);
    sched_yield(); /* take turns */
  }
  return NULL;
}

void workers_run(struct worker *worker, uint64_t threads) {
  for (uint64_t i = 0; i < threads; i++)
    if (pthread_create(&worker[i].thread, NULL, worker_run, &worker[i]) != 0)
      abort();
  for (uint64_t i = 0; i < threads; i++)
    pthread_join(worker[i].thread, NULL);
}

void worker_check(const struct worker *worker) {
  uint64_t done = load(&worker->progress->done);
  tidemark_assert(done <= worker->count);
  for (uint64_t number = 0; number < worker->count; number++) {
    uint64_t key = worker_key(worker, number);
    uint64_t value = 0;
    bool found = index_lookup(worker->index, key, &value);
    if (number < done)
      tidemark_assert(found);
    if (number > done)
      tidemark_assert(!found);
    if (found)
      tidemark_assert(value == value_of(key));
  }
}
