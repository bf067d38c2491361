/* Signals that the program causes.
 *
 * fault_install is called once by the worker.  A signal that arrives while a fiber runs ends the
 * execution (struct stop) and control goes to host_run; one that arrives on the host is a bug of
 * ours: one line on stderr, exit 4. */
#ifndef PROCESS_FAULT_H
#define PROCESS_FAULT_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

void fault_install(void);

/* Asked first, on the signal stack; true: handled, return to the interrupted code. */
extern bool (*fault_filter)(siginfo_t *info, ucontext_t *context);

/* Does the program have a handler for it?  NULL: none. */
extern bool (*fault_program_handles)(int sig);

/* The session bumps it at each operation and each run; the watchdog (watchdog.h) looks at it. */
extern volatile uint64_t fault_progress;

#endif
