// libpmem's copies, with the real library: a copy drains whatever it copied to; NOFLUSH wins over
// NONTEMPORAL.
// FLAGS: -lpmem
// OUTCOMES: 0 0 0; 1 0 0; 1 1 0; 1 0 1; 1 1 1
// COUNTS: 11 executions, 8 runs, 4 failure points
#include "../pm.h"
#include <libpmem.h>

int main(void) {
  size_t bytes;
  int is_pmem;
  const uint64_t one = 1;
  uint64_t ordinary;
  union pm_line *line =
      pmem_map_file("/mnt/pmem0/litmus", 4096, PMEM_FILE_CREATE, 0600, &bytes, &is_pmem);
  if (!line || !is_pmem || bytes != 4096 || pmem_check_version(PMEM_MAJOR_VERSION, 0))
    return 1;
  if (tidemark_failures() == 0) {
    X = 1;
    pmem_flush(&X, 8);
    pmem_memcpy(&ordinary, &one, 8, 0);
    pmem_memcpy(&Y, &one, 8, PMEM_F_MEM_NONTEMPORAL | PMEM_F_MEM_NOFLUSH);
    pmem_drain();
    pmem_memcpy_persist(&Z, &ordinary, 8);
  } else {
    tidemark_outcome("%d %d %d", (int)X, (int)Y, (int)Z);
  }
  return pmem_unmap(line, bytes);
}
