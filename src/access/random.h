/* A thread has taken a random number: what it was is not in its registers or on its stack, so it has not gone round a
 * waiting loop (waiting.h, vain.h) or tried for a lock again (tries.h) in the same state. */
#ifndef ACCESS_RANDOM_H
#define ACCESS_RANDOM_H

void random_leave(void); /* pre: on a fiber */

/* Each thread has random numbers of its own from now on (clock_random). */
void random_init(void);

#endif
