/* The stack of the running fiber as code addresses, innermost first, through code of any origin: the
 * worker's, the program's and that of libraries, which keep no frame pointers.
 *
 * By unwind tables; where code has none, by the frame pointer (the worker and instrumented code keep
 * it) or by the next address above that can only be a return address into the program.  Never faults,
 * allocates nothing: for signal handlers too. */
#ifndef PROCESS_UNWIND_H
#define PROCESS_UNWIND_H

#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

/* pre: on a fiber.  From the caller of the function whose frame pointer is `fp`; returns how many
 * were written. */
int unwind_calls(uintptr_t fp, uintptr_t *pcs, int max);
int unwind_calls_to_own_code(uintptr_t fp, uintptr_t *pcs, int max); /* not beyond the program's */

/* The same in a tenth of the time, for calls that are no failure: takes for granted that code of the
 * program keeps frame pointers.  Objects that other compilers made may not; then their callers can be
 * missing. */
int unwind_calls_quickly(uintptr_t fp, uintptr_t *pcs, int max);
int unwind_to_own_code_quickly(uintptr_t fp, uintptr_t *pcs, int max);

/* From interrupted code: pcs[0] is the instruction itself, the others are return addresses. */
int unwind_interrupted(const ucontext_t *context, uintptr_t *pcs, int max);

/* Where the function with this return address begins; 0: unknown. */
uintptr_t unwind_function(uintptr_t pc);
uintptr_t unwind_function_bytes(uintptr_t pc, size_t *bytes); /* and how long it is */

#endif
