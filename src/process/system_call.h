/* System calls made from the worker's own text.
 *
 * While a fiber runs, system calls from anywhere else are caught (gate.h), so what our code does on
 * behalf of the program is done with these.  system_call gives what the kernel gives, a negative
 * errno on failure; system_call_errno is like libc's syscall().
 * What the latter does for one machine the others can notice (machine_state.h). */
#ifndef PROCESS_SYSTEM_CALL_H
#define PROCESS_SYSTEM_CALL_H

#include "process/machine_state.h"
#include <errno.h>
#include <sys/syscall.h>

static inline long system_call_six(long number, long a, long b, long c, long d, long e, long f) {
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  register long r9 __asm__("r9") = f;
  long result;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return result;
}

static inline long system_call_result(long result) {
  machine_changed_shared();
  if (result < 0 && result > -4096) {
    errno = (int)-result;
    return -1;
  }
  return result;
}

#define SYSTEM_CALL_PICK(number, a, b, c, d, e, f, ...) \
  system_call_six((number), (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))
#define system_call(...) SYSTEM_CALL_PICK(__VA_ARGS__, 0, 0, 0, 0, 0, 0, 0)
#define system_call_errno(...) system_call_result(system_call(__VA_ARGS__))

#endif
