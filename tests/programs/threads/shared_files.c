/* Memory that is shared through files, memory files and objects: what threads do there are steps, a descriptor and every
 * mapping see the same, and real files stay as they are.
 *
 * RUN: %tidemark_cc -g %s -lpmem -o %t
 * RUN: printf 12345678 > %t.file && %t %t.file whole && printf 12345678 > %t.file
 * RUN: for m in sc tso; do %tidemark check --model=$m %t %t.file whole 2>&1 | %FileCheck %s || exit 1; done
 * RUN: %tidemark check --model=sc --isolate %t %t.file whole 2>&1 | %FileCheck %s
 * RUN: test "$(cat %t.file)" = 12345678
 * CHECK: no findings; the search is complete
 *
 * Each kind of memory, two threads that add to it without a lock.
 * RUN: for k in file memory object segment private pmem; do %tidemark check --model=sc %t %t.file $k > %t.txt 2>&1; test $? = 1 || exit 1; %FileCheck --check-prefix=LOST %s < %t.txt || exit 1; done
 * LOST-DAG: error[data-race]
 * LOST-DAG: error[assertion]: assertion failed: *counter == 2
 * LOST: 2 findings; the search is complete
 *
 * A word that one thread writes with pwrite, and another one reads in the mapping: both orders, and no data race.
 * RUN: %tidemark check --model=sc --json=%t.json %t %t.file written 2>&1 | %FileCheck %s
 * RUN: grep -A 3 '"outcomes"' %t.json | tr -d '\n' | grep '"1": 1.*"2": 1'
 */
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <libpmem.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <tidemark.h>
#include <unistd.h>

#define BYTES 8192

static long *counter;
static int descriptor;

static void *map(int fd, off_t offset, size_t bytes) {
  void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset);
  assert(p != MAP_FAILED);
  return p;
}

static void *sized(int fd) {
  assert(fd >= 0 && ftruncate(fd, BYTES) == 0);
  return map(fd, 0, BYTES);
}

static long *memory_of(const char *kind, const char *path) {
  if (!strcmp(kind, "memory"))
    return sized(memfd_create("memory", 0));
  if (!strcmp(kind, "object"))
    return sized(shm_open("/tidemark-test", O_CREAT | O_EXCL | O_RDWR, 0600));
  if (!strcmp(kind, "segment"))
    return shmat(shmget(4711, BYTES, IPC_CREAT | IPC_EXCL | 0600), NULL, 0);
  if (!strcmp(kind, "private"))
    return shmat(shmget(IPC_PRIVATE, BYTES, IPC_CREAT | 0600), NULL, 0);
  if (!strcmp(kind, "pmem"))
    return pmem_map_file("/mnt/pmem0/file", BYTES, PMEM_FILE_CREATE, 0600, NULL, NULL);
  long *p = sized(open(path, O_RDWR));
  p[0] = 0;
  return p;
}

static void *add(void *unused) {
  long old = *counter;
  *counter = old + 1;
  return unused;
}

static void *put(void *unused) {
  long two = 2;
  assert(pwrite(descriptor, &two, sizeof two, 0) == sizeof two);
  return unused;
}

/* One thread: a descriptor, two mappings and the end of the file. */
static void check_whole(const char *path) {
  char text[16] = {0};
  struct stat st;
  int fd = open(path, O_RDWR), reader = open(path, O_RDONLY);
  assert(read(fd, text, 8) == 8 && memcmp(text, "12345678", 8) == 0);
  assert(ftruncate(fd, BYTES) == 0 && fstat(fd, &st) == 0 && st.st_size == BYTES);
  char *p = map(fd, 0, BYTES), *q = map(fd, BYTES / 2, BYTES / 2);
  assert(memcmp(p, text, 8) == 0 && p[100] == 0);
  q[3] = 'q';
  assert(p[BYTES / 2 + 3] == 'q');
  assert(pwrite(fd, "written", 7, 1) == 7 && memcmp(p, "1written", 8) == 0);
  memcpy(p + 1, "mapped!", 7);
  assert(pread(reader, text, 8, 0) == 8 && memcmp(text, "1mapped!", 8) == 0);
  assert(msync(p, BYTES, MS_SYNC) == 0 && munmap(q, BYTES / 2) == 0 && munmap(p, BYTES) == 0);
  assert(close(fd) == 0 && close(reader) == 0);
  fd = open(path, O_RDWR);
  assert(pread(fd, text, 8, 0) == 8 && memcmp(text, "1mapped!", 8) == 0);
  assert(stat(path, &st) == 0 && st.st_size == BYTES && ftruncate(fd, 4) == 0);
  p = map(fd, 0, 4096);
  assert(memcmp(p, "1map\0\0", 6) == 0);
}

int main(int count, char **arguments) {
  const char *path = arguments[1], *kind = arguments[count - 1];
  pthread_t t;
  if (!strcmp(kind, "whole")) {
    check_whole(path);
    return 0;
  }
  if (!strcmp(kind, "written")) {
    counter = memory_of("file", path);
    descriptor = open(path, O_RDWR);
    *counter = 1;
    pthread_create(&t, NULL, put, NULL);
    tidemark_outcome("%ld", *counter);
    pthread_join(t, NULL);
    return 0;
  }
  counter = memory_of(kind, path);
  pthread_create(&t, NULL, add, NULL);
  add(NULL);
  pthread_join(t, NULL);
  assert(*counter == 2);
  return 0;
}
