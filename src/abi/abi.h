/* The contract between instrumented code and whoever answers its hooks: the worker while a program
 * is checked (access/), a small pass-through library in a normal run (native/).
 *
 * Instrumented code tests each plain access inline: an address below its file's `__tidemark_watch`
 * goes through a hook, any other is accessed directly.  The checker sets it to the end of the
 * window, in which regions and its own memory lie while the program's globals, heap and stacks are
 * above it; or so that every access calls its hook.  In a normal run it is 0: none does.  Atomic and
 * volatile accesses, fences, flushes and library calls that read or write memory always call their
 * hook. */
#ifndef ABI_ABI_H
#define ABI_ABI_H

#include <stddef.h>
#include <stdint.h>

/* Raised whenever a hook or an encoding below changes its meaning.  Every instrumented module
 * defines the weak exported object `const uint32_t __tidemark_abi = ABI_VERSION`. */
#define ABI_VERSION 4
#define ABI_VERSION_SYMBOL "__tidemark_abi"

/* Plain accesses to addresses below this uint64_t call hooks: a weak exported object of this name in
 * every instrumented file.  (One comparison with memory; a range takes two and made code outside the
 * window 1.4 times slower.) */
#define ABI_WATCH_SYMBOL "__tidemark_watch"

/* The locks of atomic objects that no instruction can access at once, the same for the whole program. */
#define ABI_LOCKS_SYMBOL "__tidemark_atomic_locks"
#define ABI_WATCH_WINDOW (ABI_WINDOW_BASE + ABI_WINDOW_BYTES)
#define ABI_WATCH_ALL (UINT64_MAX - 2)
/* The same for a program of which only the schedules are explored; and one whose data races are found besides. */
#define ABI_WATCH_SCHEDULES (UINT64_MAX - 1)
#define ABI_WATCH_RACES UINT64_MAX

/* The window, unless the checker has moved it (event/window.h). */
#define ABI_WINDOW_SHIFT 40
#define ABI_WINDOW_BASE ((uintptr_t)0x10 << ABI_WINDOW_SHIFT)
#define ABI_WINDOW_BYTES ((uintptr_t)1 << ABI_WINDOW_SHIFT)

/* Where in the source a hook was called: one constant object per call in the program's image. */
struct abi_site {
  const char *file;     /* as the compiler was given it; "" if built without -g */
  const char *function; /* source name of the enclosing function */
  uint32_t line, column;
};

/* C11 memory orders as passed to hooks (the values of __ATOMIC_*). */
enum abi_order {
  ABI_RELAXED = 0,
  ABI_CONSUME = 1,
  ABI_ACQUIRE = 2,
  ABI_RELEASE = 3,
  ABI_ACQ_REL = 4,
  ABI_SEQ_CST = 5,
};

/* What a cas hook is given if its failure acquires and its success does not, or the other way round: both orders. */
#define ABI_CAS_ORDERS(success, failure) ((success) | ((failure) + 1) << 4)
#define ABI_CAS_SUCCESS(orders) ((orders)&15)
#define ABI_CAS_FAILURE(orders) ((orders) >> 4 ? ((orders) >> 4) - 1 : (orders))

/* What an atomic read-modify-write computes from the old value and its operand. */
#define ABI_RMW_OPS(X) \
  X(XCHG, "xchg") \
  X(ADD, "add") \
  X(SUB, "sub") \
  X(AND, "and") \
  X(NAND, "nand") \
  X(OR, "or") \
  X(XOR, "xor") \
  X(MAX, "max") \
  X(MIN, "min") \
  X(UMAX, "umax") \
  X(UMIN, "umin")

enum abi_rmw {
#define X(name, text) ABI_RMW_##name,
  ABI_RMW_OPS(X)
#undef X
};

/* Added to it: nobody looks at the result. */
#define ABI_RMW_UNUSED 16

/* pthread_barrier_wait, where nobody looks at the result. */
#define ABI_BARRIER_WAIT __tidemark_barrier_wait
#define ABI_BARRIER_WAIT_SYMBOL "__tidemark_barrier_wait"

enum abi_flush { ABI_CLFLUSH, ABI_CLFLUSHOPT, ABI_CLWB };
enum abi_fence { ABI_MFENCE, ABI_SFENCE, ABI_LFENCE };

typedef unsigned __int128 abi_u128;

/* Declare every hook. */
#define HOOK(type, name, ...) type __tidemark_##name(__VA_ARGS__);
#include "abi/hooks.def"
#undef HOOK

#endif
