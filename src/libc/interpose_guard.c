/* Static variables of functions: the guards of the C++ ABI.  The compiler looks at a guard's first byte, and
 * calls these while it is zero.  They do what libstdc++'s do, so that whoever looks, stores and waits is
 * seen by the checker. */
#include "access/entry.h"
#include "access/ordinary.h"
#include "process/caller.h"
#include "thread/futex.h"

/* As libstdc++ has them in the first four bytes. */
enum { GUARD_DONE = 1, GUARD_RUNNING = 0x100, GUARD_AWAITED = 0x10000 };

/* pm, cxl: like an instruction of the program, which orders threads and is a step of a schedule. */
static bool is_hooked(void) {
  return !ordinary.on && fiber_current();
}

static uint32_t exchange(uint64_t *guard, uint32_t desired) {
  if (is_hooked())
    return __tidemark_rmw4(guard, desired, ABI_RMW_XCHG, ABI_ACQ_REL, NULL);
  return (uint32_t)ordinary_locked((uintptr_t)guard, sizeof(uint32_t), ABI_ACQ_REL,
                                   OPERATION_CHANGE_ALWAYS, 0, desired, NULL);
}

static uint32_t exchange_if(uint64_t *guard, uint32_t expected, uint32_t desired) {
  if (is_hooked())
    return __tidemark_cas4(guard, expected, desired, ABI_ACQ_REL, NULL);
  return (uint32_t)ordinary_locked((uintptr_t)guard, sizeof(uint32_t), ABI_ACQ_REL,
                                   OPERATION_CHANGE_CAS, expected, desired, NULL);
}

/* Returns whether the caller has to initialise the variable. */
INTERPOSE int __cxa_guard_acquire(uint64_t *guard);
int __cxa_guard_acquire(uint64_t *guard) {
  for (;;) {
    uint32_t old = exchange_if(guard, 0, GUARD_RUNNING);
    if (old == 0 || old == GUARD_DONE)
      return old == 0;
    if (old == GUARD_RUNNING)
      old = exchange_if(guard, GUARD_RUNNING, GUARD_RUNNING | GUARD_AWAITED);
    if (old & GUARD_RUNNING)
      futex_wait_while(guard, GUARD_RUNNING | GUARD_AWAITED);
  }
}

static void leave(uint64_t *guard, uint32_t value) {
  uint32_t old = exchange(guard, value);
  if (old & GUARD_AWAITED)
    futex_wake_all(guard);
}

INTERPOSE void __cxa_guard_release(uint64_t *guard);
void __cxa_guard_release(uint64_t *guard) {
  leave(guard, GUARD_DONE);
}

/* The initialisation was left by an exception: the next one tries again. */
INTERPOSE void __cxa_guard_abort(uint64_t *guard);
void __cxa_guard_abort(uint64_t *guard) {
  leave(guard, 0);
}
