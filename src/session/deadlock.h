/* Deadlocks of ordinary programs: where they are, and where everybody waits. */
#ifndef SESSION_DEADLOCK_H
#define SESSION_DEADLOCK_H

#include "finding/finding.h"
#include "process/stop.h"

/* An execution has ended because all threads wait.  Fills in the places by which it is told from others, and shows it
 * where the first of them waits; returns that one.  pre: the threads are still there. */
int deadlock_locate(struct stop *why);

/* In the run that is made for call stacks (access/stacks.h): where the other threads wait, and where those who hold
 * what they wait for took it. */
struct history;
void deadlock_describe(const struct history *h, struct finding *f);
void deadlock_share(void); /* register what a run changes, for --isolate */

#endif
