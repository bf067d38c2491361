/* Accesses to watched memory by code that was not instrumented (libc, libstdc++, a user's library).
 *
 * They fault, because the window is inaccessible.  The fault is turned into a call on the faulting
 * thread's own stack that makes what the instruction may read known (64 bytes from the address, as a
 * rule), opens the page with its current contents and lets the instruction run alone (step.h); what
 * it changed is then recorded as stores.  A repeated copy is carried out as a whole instead
 * (repeat.h).  A flush is refused, because the fence that belongs to it would not be seen.  Slow
 * (about 10 us an instruction) but nothing happens unseen.  More bytes may become known than the
 * instruction reads, which costs branches, never an outcome.  Instructions that only read, of the
 * common forms, are known better: just what they read becomes known, no page is opened, and after a
 * while there is no fault either (detour.h). */
#ifndef ACCESS_BYPASS_H
#define ACCESS_BYPASS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

void bypass_init(void);
void bypass_reset(void); /* before an execution: the last one may have been stopped in a step */

void bypass_share(void); /* register what a run changes, for --isolate */

/* The file whose code came here most often, and how often in all runs; NULL: none did. */
const char *bypass_heaviest(uint64_t *accesses);

/* Does the load that is being answered belong to a loop that computes a checksum (reading_sums)?  pre: it has no site. */
bool bypass_sums(void);

/* For fault_filter. */
bool bypass_filter(siginfo_t *info, ucontext_t *context);

#endif
