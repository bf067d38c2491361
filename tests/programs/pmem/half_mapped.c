/* pmem_map_file creates a file and then gives it a size.  A failure in between leaves an empty file, which cannot be
 * mapped; what perror says about it is in the report.  Devices have some size.
 *
 * RUN: %tidemark_cc -g %s -lpmem -o %t
 * RUN: %tidemark check %t > %t.log 2>&1; test $? = 1
 * RUN: %FileCheck %s < %t.log
 * CHECK: error[exit-status]: the program ended with exit status 1; it said: map: Invalid argument
 * CHECK: note: the power failed before this call was over, which changes the directory entry of /mnt/pmem0/pool
 * CHECK: 1 finding; the search is complete
 * RUN: %tidemark_cc -g -DFIX %s -lpmem -o %t && %tidemark check %t
 */
#include <assert.h>
#include <libpmem.h>
#include <stdio.h>
#include <unistd.h>

#define POOL "/mnt/pmem0/pool"

int main(void) {
  size_t bytes;
  long *p = access(POOL, F_OK) ? NULL : pmem_map_file(POOL, 0, 0, 0, &bytes, NULL);
#ifdef FIX
  if (!p)
#else
  if (!p && access(POOL, F_OK))
#endif
    p = pmem_map_file(POOL, 4096, PMEM_FILE_CREATE, 0600, &bytes, NULL);
  if (!p) {
    perror("map");
    return 1;
  }
  p[511]++;
  pmem_persist(p, bytes);
  long *device = pmem_map_file("/dev/dax0.0", 0, 0, 0, &bytes, NULL);
  assert(device && bytes >= 4096);
  device[bytes / sizeof *device - 1] = 1;
  pmem_persist(device, bytes);
  pmem_unmap(p, 4096);
  return 0;
}
