/* Threads that insert keys, count what they have done, and check what must be there.
 *
 * A worker inserts its keys in a fixed order and counts them in progress->done, after the insert
 * and durably.  So after a failure, of the keys of one worker
 *   - those before `done` must be there, with their values;
 *   - the next one was perhaps being inserted: it may be there, then with its value, or not;
 *   - those after it must not be there. */
#ifndef EXAMPLES_WORKER_H
#define EXAMPLES_WORKER_H

#include "index.h"
#include "persist.h"
#include <pthread.h>
#include <stdalign.h>

enum { THREADS_MAX = 16 };

/* In persistent or shared memory, each on a line of its own. */
struct progress {
  alignas(CACHE_LINE) _Atomic uint64_t done;
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

/* Number `number` of `workers` that insert the keys 1 to `keys` together. */
struct worker worker_of(struct index *index, struct progress *progress, uint64_t keys,
                        uint64_t number, uint64_t workers);

/* Let each of them insert its keys in a thread of its own; returns when all have ended. */
void workers_run(struct worker *worker, uint64_t threads);

/* Look every key of this worker up and compare with its progress. */
void worker_check(const struct worker *worker);

#endif
