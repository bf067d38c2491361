/* Built without instrumentation: nobody refuses these system calls. */
#include <sys/syscall.h>

static long call(long number, long a, long b) {
  long result;
  __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b) : "rcx", "r11", "memory");
  return result;
}

void suicide(void) {
  call(SYS_kill, call(SYS_getpid, 0, 0), 9);
}
