/* A program for libpmem2, with its header and its shared library: it runs natively with the real one
 * and is checked with ours; both give the same answers, also to mistakes.
 *
 * RUN: rm -rf %t && mkdir -p %t && %tidemark_cc -Wall -Werror %s -lpmem2 -o %t/prog
 * RUN: %t/prog %t/pool > %t/native && %FileCheck %s < %t/native
 * RUN: %tidemark check --max-executions=1 --program-output %t/prog /mnt/pmem0/pool > %t/checked 2> %t/err; test $? = 5
 * RUN: cmp %t/native %t/checked
 * CHECK: anonymous: 0, 4096 bytes, granularity 0
 * CHECK: not set -100008
 * CHECK: bad granularity -100009, bad sharing -100019, bad protection -100031
 * CHECK: no file -100004, anonymous has none -100035
 * CHECK: empty -100018
 * CHECK: unaligned -100011 -100015, too long -100006, beyond -100006
 * CHECK: 4096 of 8192 bytes, alignment 4096
 * CHECK: deep flush -100024 0
 * CHECK: existing 64 bytes
 * CHECK: value 1
 *
 * RUN: %tidemark check %t/prog /mnt/pmem0/pool 2>&1 | %FileCheck --check-prefix=CLEAN %s
 * CLEAN: 2 different
 * CLEAN: no findings; the search is complete
 *
 * What cannot be simulated is refused by name.
 * RUN: %tidemark check %t/prog /mnt/pmem0/pool reserve 2> %t/reserve.txt; test $? = 3
 * RUN: %FileCheck --check-prefix=RESERVE %s < %t/reserve.txt
 * RESERVE: pmem2_vm_reservation_new is not supported in a checked program
 * RUN: %tidemark check %t/prog %t/outside 2> %t/outside.txt; test $? = 3
 * RUN: %FileCheck --check-prefix=OUTSIDE %s < %t/outside.txt
 * OUTSIDE: pmem2_source_from_fd of {{/.*}}/outside, which is outside --pm-path, is not supported{{.*}}add --pm-path='/{{.*}}/outside'
 *
 * With caches that survive a failure nothing finer than a byte needs a flush.
 * RUN: %tidemark check --eadr %t/prog /mnt/pmem0/pool byte 2>&1 | %FileCheck --check-prefix=CLEAN %s
 * RUN: %tidemark check %t/prog /mnt/pmem0/pool byte > %t/byte.txt 2>&1; test $? = 1
 */
#include <fcntl.h>
#include <libpmem2.h>
#include <stdio.h>
#include <string.h>
#include <tidemark.h>
#include <unistd.h>

static struct pmem2_config *config;
static struct pmem2_source *source;
static struct pmem2_map *map;

static int map_range(size_t offset, size_t length) {
  pmem2_config_set_offset(config, offset);
  pmem2_config_set_length(config, length);
  int error = pmem2_map_new(&map, config, source);
  if (!error)
    pmem2_map_delete(&map);
  return error;
}

static void check_anonymous(void) {
  pmem2_config_new(&config);
  pmem2_source_from_anon(&source, 4096);
  int fd = 0, not_set = pmem2_map_new(&map, config, source);
  pmem2_config_set_required_store_granularity(config, PMEM2_GRANULARITY_PAGE);
  int error = pmem2_map_new(&map, config, source);
  printf("anonymous: %d, %zu bytes, granularity %d\n", error, pmem2_map_get_size(map),
         pmem2_map_get_store_granularity(map));
  memset(pmem2_map_get_address(map), 1, 4096);
  pmem2_get_persist_fn(map)(pmem2_map_get_address(map), 4096);
  pmem2_map_delete(&map);
  printf("not set %d\n", not_set);
  printf("bad granularity %d, bad sharing %d, bad protection %d\n",
         pmem2_config_set_required_store_granularity(config, (enum pmem2_granularity)7),
         pmem2_config_set_sharing(config, (enum pmem2_sharing_type)7),
         pmem2_config_set_protection(config, 1));
  struct pmem2_source *none;
  printf("no file %d, anonymous has none %d\n", pmem2_source_from_fd(&none, 123),
         pmem2_source_get_fd(source, &fd));
  pmem2_source_delete(&source);
}

static void check_file(int fd) {
  if (pmem2_source_from_fd(&source, fd))
    return;
  printf("empty %d\n", ftruncate(fd, 0) ? 0 : map_range(0, 0));
  if (ftruncate(fd, 8192))
    return;
  printf("unaligned %d %d, too long %d, beyond %d\n", map_range(100, 0), map_range(0, 100),
         map_range(4096, 8192), map_range(8192, 4096));
  size_t size, alignment;
  pmem2_source_size(source, &size);
  pmem2_source_alignment(source, &alignment);
  pmem2_config_set_offset(config, 4096);
  pmem2_config_set_length(config, 0);
  if (pmem2_map_new(&map, config, source)) {
    pmem2_perror("map %d", fd);
    return;
  }
  printf("%zu of %zu bytes, alignment %zu\n", pmem2_map_get_size(map), size, alignment);
}

static void check_map(char *address) {
  struct pmem2_map *existing;
  printf("deep flush %d %d\n", pmem2_deep_flush(map, address + 4090, 10),
         pmem2_deep_flush(map, address, 4096));
  pmem2_map_delete(&map);
  if (pmem2_map_new(&map, config, source))
    return;
  char ordinary[64];
  if (pmem2_map_from_existing(&existing, source, ordinary, 64, PMEM2_GRANULARITY_CACHE_LINE) == 0) {
    printf("existing %zu bytes\n", pmem2_map_get_size(existing));
    pmem2_map_delete(&existing);
  }
}

int main(int count, char **words) {
  if (count < 2)
    return 1;
  const char *what = count > 2 ? words[2] : "";
  struct pmem2_vm_reservation *reservation;
  if (strcmp(what, "reserve") == 0)
    return pmem2_vm_reservation_new(&reservation, NULL, 4096);
  int fd = open(words[1], O_RDWR | O_CREAT, 0600);
  if (fd < 0)
    return 1;
  if (tidemark_failures() == 0) {
    check_anonymous();
    check_file(fd);
    check_map(pmem2_map_get_address(map));
  } else if (pmem2_config_new(&config) || pmem2_source_from_fd(&source, fd) ||
             pmem2_config_set_offset(config, 4096) ||
             pmem2_config_set_required_store_granularity(config, PMEM2_GRANULARITY_PAGE)) {
    return 1;
  }
  if (strcmp(what, "byte") == 0)
    pmem2_config_set_required_store_granularity(config, PMEM2_GRANULARITY_BYTE);
  size_t size;
  pmem2_source_size(source, &size);
  if (size != 8192)
    return 0; /* it failed before the file had its size */
  if (tidemark_failures() > 0 || *what)
    if (pmem2_map_new(&map, config, source))
      return 1;
  long *value = pmem2_map_get_address(map);
  tidemark_outcome("%ld", *value);
  *value = 1;
  pmem2_get_persist_fn(map)(value, sizeof *value);
  printf("value %ld\n", *value);
  pmem2_map_delete(&map);
  pmem2_source_delete(&source);
  return pmem2_config_delete(&config);
}
