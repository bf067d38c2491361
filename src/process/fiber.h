/* Fibers: the threads of the program under test, all inside one OS thread.
 *
 * A fiber owns a stack (with a guard page below it) and its copy of the native thread-local blocks
 * of libc and libstdc++ (errno, exception globals), which are swapped when control moves.  The host
 * (session) runs on the OS thread's own stack and is the fiber NULL.  Fibers live in world memory:
 * they go back with the program. */
#ifndef PROCESS_FIBER_H
#define PROCESS_FIBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FIBER_STACK_BYTES ((size_t)256 << 10) /* default; main gets FIBER_MAIN_STACK_BYTES */
#define FIBER_MAIN_STACK_BYTES ((size_t)1 << 20)

struct fiber {
  void *stack_pointer;             /* saved while not running */
  uintptr_t stack_low, stack_high; /* usable part: [low, high) */
  void (*entry)(void *);
  void *argument;
  void *native_tls; /* saved copy of libc's and libstdc++'s TLS blocks */
};

/* Is there address space for another stack?  slot: as in fiber_create_in. */
bool fiber_has_room(size_t stack_bytes, int slot);

/* Prepare a fiber that will call entry(argument); entry must never return. */
void fiber_create(struct fiber *f, size_t stack_bytes, void (*entry)(void *), void *argument);
/* The same with the stack in that slot of those of its size, which nobody has used; -1: in the next one. */
void fiber_create_in(struct fiber *f, size_t stack_bytes, int slot, void (*entry)(void *),
                     void *argument);
void fiber_destroy(struct fiber *f); /* gives the stack back to the pool; not the running one */

/* Continue `to` (NULL: the host); returns when somebody switches back to the caller. */
void fiber_switch(struct fiber *to);

struct fiber *fiber_current(void); /* NULL on the host */

/* Is the address in the guard page of a fiber's stack (a stack overflow)? */
bool fiber_guards(uintptr_t address);

/* Can the number be the address of a frame on its stack?  Code without frame pointers has anything in that register. */
bool fiber_has_frame(const struct fiber *f, uintptr_t fp);

/* Return addresses of the frame chain starting at frame pointer `fp`, innermost first; stays
 * inside the fiber's stack.  Returns how many were written. */
int fiber_backtrace(const struct fiber *f, uintptr_t fp, uintptr_t *pcs, int max);

/* Where that chain starts in a fiber that does not run. */
uintptr_t fiber_frame_pointer(const struct fiber *f);

#endif
