/* One instruction of the program, then somebody is called.
 *
 * The first time by a signal.  Normally that of the processor's trap flag.  A debugger takes those
 * traps for its own, so under one the instruction runs in a copy at the end of a page, behind which
 * nothing can be executed: the fault there is the signal.  Bytes are added until the instruction is
 * whole.
 *
 * From then on the length of the instruction is known, and a copy of it runs, followed by a call: no
 * signal is needed.  Branches and repeated instructions have no copy.  Copies are host memory; they
 * are never changed, since a checkpoint may go on in one. */
#ifndef ACCESS_STEP_H
#define ACCESS_STEP_H

#include "access/bypass_internal.h"
#include <signal.h>
#include <ucontext.h>

enum step_end { STEP_OTHER_SIGNAL, STEP_UNDER_WAY, STEP_DONE };

/* Copies call bypass_enter with this function. */
void step_init(bool (*after)(struct bypass_frame *f));
void step_avoid_traps(void); /* from now on; called once, for a debugger's sake */
void step_reset(void);       /* there is none under way */

/* Where a copy of the instruction can be executed; 0: there is none, it has to be stepped. */
uintptr_t step_copy(uintptr_t instruction);

/* The instruction that the copy at pc was made of; pc itself if there is none. */
uintptr_t step_original(uintptr_t pc);

/* The thread will execute the instruction it is at. */
void step_begin(ucontext_t *c);

/* A signal came; *stepped is the instruction.  STEP_OTHER_SIGNAL: it is not about the step; if there
 * was one it has been taken back, the thread is at the instruction. */
enum step_end step_signal(const siginfo_t *info, ucontext_t *c, uintptr_t *stepped);

#endif
