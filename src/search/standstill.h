/* Machines that wait in loops for what never comes, when one of them has failed before it did it (cxl model).
 *
 * Each round of such loops is a few turns, and a limit on steps that is not to end a long wait which does come to an end
 * takes millions of them.  So once thousands of turns were taken in which nobody stored anything, the world is compared
 * with itself a round earlier: if it is the same, the next round is the same, too, and so are all others.  A loop that
 * counts its rounds, or looks at the time, never is, and is left to the limits.
 *
 * This is about turns of different machines, with one schedule; where somebody asks whether a machine has failed, each
 * answer is a decision, and looks_max (access/cxl.h) applies.  Host memory. */
#ifndef SEARCH_STANDSTILL_H
#define SEARCH_STANDSTILL_H

/* What follows is not what came before: an execution begins, or a decision was taken. */
void standstill_begin(void);

/* Host side: a thread of another machine is about to go on.  Ends it as a hang if the execution has no end. */
void standstill_look(void);

#endif
