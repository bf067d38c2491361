/* One instruction of the program, then a signal.
 *
 * Normally by the processor's trap flag.  A debugger takes those traps for its own, so under one the
 * instruction runs in a copy at the end of a page, behind which nothing can be executed: the fault
 * there is the signal.  Bytes are added until the instruction is whole. */
#ifndef RUNTIME_STEP_H
#define RUNTIME_STEP_H

#include <signal.h>
#include <stdint.h>
#include <ucontext.h>

enum step_end { STEP_OTHER_SIGNAL, STEP_UNDER_WAY, STEP_DONE };

void step_avoid_traps(void); /* from now on; called once, for a debugger's sake */
void step_reset(void);       /* there is none under way */

/* The thread will execute the instruction it is at. */
void step_begin(ucontext_t *c);

/* A signal came; *stepped is the instruction.  STEP_OTHER_SIGNAL: it is not about the step; if there was one it has been taken
 * back, the thread is at the instruction. */
enum step_end step_signal(const siginfo_t *info, ucontext_t *c, uintptr_t *stepped);

#endif
