// Programs that tell threads apart by the register that points to a thread's own memory, as allocators do, and that make system
// calls without libc.
// RUN: for o in -O0 -O2; do %tidemark_cc -g $o %s -o %t && %t && %tidemark check --model=sc %t > %t.out 2>&1 || exit 1; %FileCheck %s < %t.out || exit 1; done
// CHECK: no findings; the search is complete
// Other uses of it are refused.
// RUN: %tidemark_cc -g -DCANARY %s -o %t 2> %t.out
// RUN: %FileCheck --check-prefix=WARNING %s < %t.out
// WARNING: own_thread.c:[[@LINE+15]]:3: warning: inline assembly touches memory in a way the checker does not understand: "movq %fs:40, $0"
// RUN: %tidemark check --model=sc %t > %t.out 2>&1; test $? = 3
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static void *ids[2][5];

static long canary(void) {
  long value = 0;
#ifdef CANARY
  __asm__ volatile("movq %%fs:40, %0" : "=r"(value));
#endif
  return value;
}

static void *note(void *to) {
  void **id = to;
  id[0] = __builtin_thread_pointer();
  __asm__("movq %%fs:0, %0" : "=r"(id[1]));
  __asm__("movq %%fs:%1, %0" : "=r"(id[2]) : "m"(*(void **)NULL));
  id[3] = *(void *__seg_fs *)NULL;
  id[4] = (void *)pthread_self();
  return NULL;
}

static void read_file(const char *path) {
  char buffer[8] = "";
  int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY);
  assert(fd >= 0 && syscall(SYS_access, path, R_OK) == 0);
  assert(syscall(SYS_read, fd, buffer, 4) == 4 && memcmp(buffer, "\177ELF", 4) == 0);
  assert(syscall(SYS_close, fd) == 0 && syscall(SYS_close, fd) == -1);
}

int main(int argc, char **argv) {
  (void)argc;
  pthread_t t;
  note(ids[0]);
  pthread_create(&t, NULL, note, ids[1]);
  pthread_join(t, NULL);
  for (int i = 0; i < 5; i++)
    assert(ids[0][i] == ids[0][0] && ids[1][i] == ids[1][0] && ids[0][i] != ids[1][i]);
  read_file(argv[0]);
  return canary() == 1;
}
