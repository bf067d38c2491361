/* The gate: system calls that the program makes without us in between, from inside libc or through
 * syscall(), are seen here (Linux syscall user dispatch), and refused, answered or passed on.
 *
 * It is the safety net under the interposed functions.  A call that comes this way costs about
 * 1.5 us more.  Where the kernel has no syscall user dispatch the net is missing, nothing else. */
#ifndef PROCESS_GATE_H
#define PROCESS_GATE_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

/* Read by the kernel at each system call: closed while a fiber runs, open for the host and inside
 * signal handlers. */
enum { GATE_OPEN = 0, GATE_CLOSED = 1 };
extern volatile char gate_state;

/* Called by world_seal, and after fork in the child.  False: the kernel cannot. */
bool gate_enable(void);
extern bool gate_enabled;
extern volatile uint64_t gate_calls; /* so many have come this way */

/* A call that is made behind the back of whoever knows the descriptor: what to refuse it as; NULL: it is not.  May be
 * NULL. */
extern const char *(*gate_descriptor)(long number, const long *arguments);

/* The signals that the current thread blocks, a bit for each.  May be NULL. */
extern uint64_t (*gate_signal_mask)(void);

/* A call about memory that the kernel cannot reach.  True: the interrupted thread makes it, with gate_call, and goes on
 * behind it.  May be NULL. */
extern bool (*gate_watched)(long number, const long *arguments, ucontext_t *context);

/* On the thread: the result of the call, or the error as a negative number.  pc: who makes it. */
long gate_call(long number, const long *arguments, uintptr_t pc);

/* pre: in the handler of SIGSYS.  False: not the gate's signal. */
bool gate_handle(siginfo_t *info, ucontext_t *context);

#endif
