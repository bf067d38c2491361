/* Executions that do not end and do not reach a hook that could say so.
 *
 * A timer looks at the running fiber.  How long is too long follows from the executions that ended:
 * a hundred times the CPU time of the longest, and never less than a second.  Where an execution was
 * stopped is remembered: one that is found in the same loop is stopped sooner.  It is stopped in the
 * program's code or in what that calls, never in the middle of ours. */
#ifndef PROCESS_WATCHDOG_H
#define PROCESS_WATCHDOG_H

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

/* seconds: of CPU time without an operation (fault_progress), of real time blocked in a system call,
 * or four times that of real time otherwise.  adapts: less CPU time is enough once executions have
 * ended. */
void watchdog_start(double seconds, bool adapts);
void watchdog_arm(void); /* in a child: timers are not inherited */

void watchdog_begin(void); /* an execution begins or goes on */
void watchdog_end(void);   /* it ended, and not as a hang */

/* A fault that the watchdog wanted: it has ended the execution. */
bool watchdog_trapped(ucontext_t *context);
extern bool (*watchdog_others)(void);         /* could anybody else go on?  Or NULL */
extern bool (*watchdog_unfair)(void);         /* could they have all the time?  Or NULL */
extern bool (*watchdog_not_at)(uintptr_t pc); /* a tick there is left out; or NULL */
bool watchdog_will_stop(void); /* it waits for one: code pages must stay as they are */

void watchdog_share(void); /* register what a run changes, for --isolate */

#endif
