/* PROG [KEYS [THREADS]], run on several machines that share memory: together they insert KEYS keys
 * (10), each machine with THREADS threads (2); then each machine looks every key up.
 *
 * Machines may fail at any time.  A key that was durably counted as inserted must be found by the
 * survivors, whoever inserted it.
 *
 *     root:  [ index | | | | | | | ]  set once, when the index is complete and durable
 *            [ done  | | | | | | | ]  progress of machine 0, thread 0, on a line of its own
 *            ... */
#include "lock.h"
#include "worker.h"
#include <stdio.h>
#include <stdlib.h>
#include <tidemark.h>

enum { MACHINES_MAX = 7 };

struct root {
  alignas(CACHE_LINE) _Atomic(struct index *) index;
  struct progress progress[MACHINES_MAX][THREADS_MAX];
};

/* Is this machine the first of those that live? */
static bool machine_leads(void) {
  for (int m = 0; m < tidemark_machine(); m++)
    if (!tidemark_machine_failed(m))
      return false;
  return true;
}

/* The first machine that lives creates the index, the others wait for it.  A machine that finds
 * all those before it failed looks once more: the last of them may have come to it. */
static struct index *root_index(struct root *root) {
  struct index *index;
  while ((index = load(&root->index)) == NULL) {
    if (!machine_leads()) {
      sched_yield();
    } else if ((index = load(&root->index)) == NULL) {
      index = index_create();
      store(&root->index, index);
      persist(&root->index, sizeof root->index);
    }
  }
  return index;
}

/* Wait until this worker of another machine has ended or failed; false if it has failed. */
static bool worker_wait(const struct worker *worker, int machine) {
  while (load(&worker->progress->done) < worker->count) {
    if (tidemark_machine_failed(machine))
      return false;
    sched_yield();
  }
  return true;
}

static int usage(const char *program) {
  fprintf(stderr, "usage: %s [KEYS [THREADS]]   (at most %d threads, %d machines)\n", program,
          THREADS_MAX, MACHINES_MAX);
  return 2;
}

int main(int argc, char **argv) {
  uint64_t keys = argc > 1 ? strtoull(argv[1], NULL, 10) : 10;
  uint64_t threads = argc > 2 ? strtoull(argv[2], NULL, 10) : 2;
  uint64_t machines = (uint64_t)tidemark_machines(), self = (uint64_t)tidemark_machine();
  if (argc > 3 || keys == 0 || threads == 0 || threads > THREADS_MAX || machines > MACHINES_MAX)
    return usage(argv[0]);

  struct root *root = tidemark_region("root", sizeof *root);
  if (root == NULL)
    return 3;
  struct index *index = root_index(root);

  struct worker worker[MACHINES_MAX][THREADS_MAX];
  for (uint64_t m = 0; m < machines; m++)
    for (uint64_t i = 0; i < threads; i++)
      worker[m][i] =
          worker_of(index, &root->progress[m][i], keys, m * threads + i, machines * threads);
  workers_run(worker[self], threads);

  bool whole = true;
  for (uint64_t m = 0; m < machines; m++)
    for (uint64_t i = 0; m != self && i < threads; i++)
      whole &= worker_wait(&worker[m][i], (int)m);
  if (!whole)
    index_repair(index);
  index_verify(index);
  for (uint64_t m = 0; m < machines; m++)
    for (uint64_t i = 0; i < threads; i++)
      worker_check(&worker[m][i]);
  return 0;
}
