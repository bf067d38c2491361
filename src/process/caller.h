/* Who called an interposed function: the program, or our own code?
 *
 * The worker's own calls to mmap, write, _exit, ... bind to the interposed functions too.  Those
 * from the host stack, and those that return into the worker's text, are passed to the system. */
#ifndef PROCESS_CALLER_H
#define PROCESS_CALLER_H

#include "process/fiber.h"
#include <stdbool.h>
#include <stdint.h>

extern const char __executable_start[] __attribute__((visibility("hidden")));
extern const char etext[] __attribute__((visibility("hidden")));
long fiber_call(void *function, long a, long b, long c) __attribute__((visibility("hidden")));
extern const char fiber_call_end[] __attribute__((visibility("hidden")));

static inline bool caller_in_worker(uintptr_t pc) {
  return pc >= (uintptr_t)__executable_start && pc < (uintptr_t)etext &&
         !(pc >= (uintptr_t)fiber_call && pc < (uintptr_t)fiber_call_end);
}

/* fiber_call: call a function of the program from our code; what it jumps to at its end still
 * counts as called by the program. */

#define CALLED_BY_PROGRAM() \
  (fiber_current() && !caller_in_worker((uintptr_t)__builtin_return_address(0)))

bool caller_in_loader(uintptr_t pc); /* ld.so */

/* Called from inside libc, which may hold a lock that is none of ours: no other thread must go on.  pre: caller_init. */
extern uintptr_t caller_libc_low, caller_libc_high;
void caller_init(void);
#define CALLED_BY_LIBC() \
  ((uintptr_t)__builtin_return_address(0) - caller_libc_low < caller_libc_high - caller_libc_low)

/* Visible to the program, in front of libc's. */
#define INTERPOSE __attribute__((visibility("default"), noinline))

/* libc's function of that name (the one behind ours). */
void *caller_real(const char *name);
#define REAL(name) \
  ({ \
    static __typeof__(&name) real_; \
    if (!real_) \
      real_ = (__typeof__(&name))caller_real(#name); \
    real_; \
  })

#endif
