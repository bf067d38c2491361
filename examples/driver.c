/* PROG KEYS THREADS [continue]: insert KEYS keys with THREADS threads, then look every key up.
 *
 * Started again on the memory that a failure left behind, the same program recovers and compares
 * what it finds with what it had recorded as done.  With `continue` it then inserts the rest.
 *
 *     root:  [ index | | | | | | | ]  set once, when the index is complete and durable
 *            [ done  | | | | | | | ]  progress of thread 0, on a line of its own
 *            [ done  | | | | | | | ]  progress of thread 1 */
#include "worker.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tidemark.h>

struct root {
  alignas(CACHE_LINE) _Atomic(struct index *) index;
  struct progress progress[THREADS_MAX];
};

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
    worker[i] = worker_of(index, &root->progress[i], keys, i, threads);

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
