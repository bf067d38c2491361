// libpmem2's copies: NODRAIN needs a drain, NOFLUSH a flush.
// FLAGS: -lpmem2
// OUTCOMES: 0 0 0 0; 1 0 0 0; 1 0 0 1; 1 0 1 0; 1 0 1 1; 1 1 0 0; 1 1 0 1; 1 1 1 0; 1 1 1 1
// COUNTS: 15 executions, 12 runs, 4 failure points
#include "../pm.h"
#include <fcntl.h>
#include <libpmem2.h>
#include <unistd.h>

int main(void) {
  struct pmem2_config *config;
  struct pmem2_source *source;
  struct pmem2_map *map;
  const uint64_t one = 1;
  int fd = open("/mnt/pmem0/litmus", O_RDWR | O_CREAT, 0600);
  if (fd < 0 || ftruncate(fd, 4096) || pmem2_config_new(&config) ||
      pmem2_source_from_fd(&source, fd) ||
      pmem2_config_set_required_store_granularity(config, PMEM2_GRANULARITY_PAGE) ||
      pmem2_map_new(&map, config, source))
    return 1;
  union pm_line *line = pmem2_map_get_address(map);
  if (tidemark_failures() == 0) {
    pmem2_get_memcpy_fn(map)(&X, &one, 8, PMEM2_F_MEM_NODRAIN);
    pmem2_get_drain_fn(map)();
    pmem2_get_memset_fn(map)(&Y, 1, 1, PMEM2_F_MEM_NOFLUSH);
    pmem2_get_memmove_fn(map)(&Z, &one, 8, PMEM2_F_MEM_NODRAIN);
    W = 1;
  } else {
    tidemark_outcome("%d %d %d %d", (int)X, (int)Y, (int)Z, (int)W);
  }
  return 0;
}
