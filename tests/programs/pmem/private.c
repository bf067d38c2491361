/* libpmem2: a private mapping is a copy, and what is stored there is lost; the device of a file has a name, and no
 * shutdown of it was unsafe.
 *
 * RUN: %tidemark_cc -g %s -lpmem2 -o %t && %tidemark check %t
 */
#include <assert.h>
#include <fcntl.h>
#include <libpmem2.h>
#include <sys/stat.h>
#include <tidemark.h>
#include <unistd.h>

static struct pmem2_map *map(struct pmem2_source *source, enum pmem2_sharing_type sharing) {
  struct pmem2_config *config;
  struct pmem2_map *m;
  assert(!pmem2_config_new(&config));
  assert(!pmem2_config_set_required_store_granularity(config, PMEM2_GRANULARITY_PAGE));
  assert(!pmem2_config_set_sharing(config, sharing));
  assert(!pmem2_map_new(&m, config, source));
  pmem2_config_delete(&config);
  return m;
}

int main(void) {
  struct pmem2_source *source;
  struct stat st;
  char id[32];
  size_t bytes = 0;
  uint64_t count = 1;
  int fd = open("/mnt/pmem0/pool", O_RDWR | O_CREAT, 0600);
  assert(fd >= 0 && !fstat(fd, &st));
  if (!st.st_size)
    ftruncate(fd, 8192);
  assert(!pmem2_source_from_fd(&source, fd));
  struct pmem2_map *shared = map(source, PMEM2_SHARED), *copy = map(source, PMEM2_PRIVATE);
  long *p = pmem2_map_get_address(shared), *q = pmem2_map_get_address(copy);
  assert(p != q && q[0] == p[0] && q[1000] == p[1000] && (p[0] == 0 || p[0] == 1));
  q[0] = q[1000] = 2;
  pmem2_get_persist_fn(copy)(q, 8192);
  assert(p[0] != 2 && p[1000] == 0);
  p[0] = 1;
  pmem2_get_persist_fn(shared)(p, sizeof *p);
  assert(q[0] == 2 && !pmem2_map_delete(&copy) && !pmem2_map_delete(&shared));
  assert(!pmem2_source_device_usc(source, &count) && count == 0);
  assert(!pmem2_source_device_id(source, NULL, &bytes) && bytes && bytes < sizeof id);
  assert(!pmem2_source_device_id(source, id, &bytes) && id[bytes - 1] == 0 && id[0]);
  bytes = 1;
  assert(pmem2_source_device_id(source, id, &bytes) == PMEM2_E_BUFFER_TOO_SMALL);
  pmem2_source_delete(&source);
  return 0;
}
