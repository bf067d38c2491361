// libpmem2 on a file, with the real library's header: persist orders, flush needs drain.
// FLAGS: -lpmem2
// OUTCOMES: 0 0 0; 1 0 0; 1 1 0; 1 0 1; 1 1 1
// COUNTS: 11 executions, 8 runs, 4 failure points
#include "../pm.h"
#include <fcntl.h>
#include <libpmem2.h>
#include <unistd.h>

int main(void) {
  struct pmem2_config *config;
  struct pmem2_source *source;
  struct pmem2_map *map;
  int fd = open("/mnt/pmem0/litmus", O_RDWR | O_CREAT, 0600);
  if (fd < 0 || ftruncate(fd, 8192) || pmem2_config_new(&config) ||
      pmem2_source_from_fd(&source, fd) || pmem2_config_set_offset(config, 4096) ||
      pmem2_config_set_required_store_granularity(config, PMEM2_GRANULARITY_CACHE_LINE) ||
      pmem2_map_new(&map, config, source) || pmem2_map_get_size(map) != 4096 ||
      pmem2_map_get_store_granularity(map) != PMEM2_GRANULARITY_CACHE_LINE)
    return 1;
  union pm_line *line = pmem2_map_get_address(map);
  pmem2_persist_fn persist = pmem2_get_persist_fn(map);
  pmem2_flush_fn flush = pmem2_get_flush_fn(map);
  if (tidemark_failures() == 0) {
    X = 1;
    persist(&X, 8);
    Y = 1;
    flush(&Y, 8);
    Z = 1;
  } else {
    tidemark_outcome("%d %d %d", (int)X, (int)Y, (int)Z);
  }
  return pmem2_map_delete(&map) || pmem2_source_delete(&source) || pmem2_config_delete(&config) ||
         close(fd);
}
