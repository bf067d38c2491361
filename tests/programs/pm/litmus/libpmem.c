// libpmem on a file: persist orders, flush needs drain.
// FLAGS: -Wl,--unresolved-symbols=ignore-all
// OUTCOMES: 0 0 0; 1 0 0; 1 1 0; 1 0 1; 1 1 1
// COUNTS: 11 executions, 8 runs, 4 failure points
#include "../pm.h"

void *pmem_map_file(const char *path, size_t len, int flags, unsigned mode, size_t *mapped,
                    int *is_pmem);
void pmem_persist(const void *p, size_t bytes);
void pmem_flush(const void *p, size_t bytes);
void pmem_drain(void);

#define PMEM_FILE_CREATE 1

int main(void) {
  size_t bytes;
  int is_pmem;
  union pm_line *line =
      pmem_map_file("/mnt/pmem0/litmus", 4096, PMEM_FILE_CREATE, 0600, &bytes, &is_pmem);
  if (!line || !is_pmem)
    return 1;
  if (tidemark_failures() == 0) {
    X = 1;
    pmem_persist(&X, 8);
    Y = 1;
    pmem_flush(&Y, 8);
    Z = 1;
  } else {
    tidemark_outcome("%d %d %d", (int)X, (int)Y, (int)Z);
  }
  return 0;
}
