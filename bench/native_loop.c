/* One run of an example after the other in one process, without the checker: what a run costs
 * natively, without starting a process.
 *
 * Linked with an example whose main is called example_main.  PROG RUNS ARGUMENTS...  Watched memory
 * comes from here and is zeroed before each run, so that each does what the first one does. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tidemark.h>

int example_main(int argc, char **argv);

#define ARENA_BYTES ((size_t)256 << 20)
static _Alignas(4096) char arena[ARENA_BYTES];
static atomic_size_t used;

void *tidemark_alloc(size_t bytes) {
  size_t rounded = (bytes + 63) & ~(size_t)63;
  size_t at = atomic_fetch_add(&used, rounded);
  return at + rounded <= ARENA_BYTES ? arena + at : NULL;
}

void tidemark_free(void *p) {
  (void)p;
}

void *tidemark_region(const char *name, size_t bytes) {
  (void)name; /* the examples ask for each once */
  return tidemark_alloc(bytes);
}

int main(int argc, char **argv) {
  if (argc < 2)
    return 2;
  unsigned long runs = strtoul(argv[1], NULL, 10);
  argv[1] = argv[0];
  while (runs-- > 0) {
    memset(arena, 0, atomic_exchange(&used, 0));
    if (example_main(argc - 1, argv + 1))
      return 1;
  }
  return 0;
}
