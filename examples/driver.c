/* PROG KEYS THREADS [continue]: insert KEYS keys with THREADS threads, then look every key up.
 *
 * Started again on the memory that a failure left behind, the same program recovers and compares
 * what it finds with what it had recorded as done.  With `continue` it then inserts the rest.
 *
 *     root:  [ index | | | | | | | ]  set once, when the index is complete and durable
 *            [ done  | | | | | | | ]  progress of thread 0, on a line of its own
 *            [ done  | | | | | | | ]  progress of thread 1
 *
 * Thread t inserts its keys in a fixed order and counts them in progress[t].done, after the insert
 * and durably.  So after a failure, of the keys of one thread
 *   - those before `done` must be there, with their values;
 *   - the next one was perhaps being inserted: it may be there, then with its value, or not;
 *   - those after it must not be there. */
#include "index.h"
#include "persist.h"
#include <pthread.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tidemark.h>

enum { THREADS_MAX = 16 };

struct progress {
  alignas(CACHE_LINE) _Atomic uint64_t done;
};

struct root {
  alignas(CACHE_LINE) _Atomic(struct index *) index;
  struct progress progress[THREADS_MAX];
};

/* The keys are 1 to `count` in an order that jumps to and fro, so that new ones go between old. */
struct sequence {
  uint64_t count, step;
};

struct worker {
  pthread_t thread;
  struct index *index;
  struct progress *progress;
  struct sequence sequence;
  uint64_t first, stride; /* its keys are number first, first + stride, ... of the sequence */
  uint64_t count;
};

static uint64_t greatest_common_divisor(uint64_t a, uint64_t b) {
  return b ? greatest_common_divisor(b, a % b) : a;
}

static struct sequence sequence_of(uint64_t count) {
  uint64_t step = count * 5 / 8 + 1;
  while (greatest_common_divisor(count, step) != 1)
    step++;
  return (struct sequence){count, step};
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
  }
  return NULL;
}

static void worker_check(const struct worker *worker) {
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

static void workers_run(struct worker *worker, uint64_t threads) {
  for (uint64_t i = 0; i < threads; i++)
    if (pthread_create(&worker[i].thread, NULL, worker_run, &worker[i]) != 0)
      abort();
  for (uint64_t i = 0; i < threads; i++)
    pthread_join(worker[i].thread, NULL);
}

static void index_check(struct index *index, const struct worker *worker, uint64_t threads) {
  index_verify(index);
  for (uint64_t i = 0; i < threads; i++)
    worker_check(&worker[i]);
}

static int usage(const char *program) {
  fprintf(stderr, "usage: %s KEYS THREADS [continue]   (at most %d threads)\n", program,
          THREADS_MAX);
  return 2;
}

int main(int argc, char **argv) {
  if (argc < 3 || argc > 4 || (argc == 4 && strcmp(argv[3], "continue") != 0))
    return usage(argv[0]);
  uint64_t keys = strtoull(argv[1], NULL, 10);
  uint64_t threads = strtoull(argv[2], NULL, 10);
  if (keys == 0 || threads == 0 || threads > THREADS_MAX)
    return usage(argv[0]);

  struct root *root = tidemark_region("root", sizeof *root);
  if (root == NULL)
    return 3;
  struct index *index = load(&root->index);
  bool recovering = index != NULL;
  if (!recovering) {
    index = index_create();
    store(&root->index, index);
    persist(&root->index, sizeof root->index);
  }

  struct worker worker[THREADS_MAX];
  for (uint64_t i = 0; i < threads; i++)
    worker[i] = (struct worker){.index = index,
                                .progress = &root->progress[i],
                                .sequence = sequence_of(keys),
                                .first = i,
                                .stride = threads,
                                .count = keys / threads + (i < keys % threads)};

  if (recovering) {
    index_recover(index);
    index_check(index, worker, threads);
    if (argc < 4)
      return 0;
  }
  workers_run(worker, threads);
  index_check(index, worker, threads);
  return 0;
}
