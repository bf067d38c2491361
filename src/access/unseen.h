/* What a thread knows besides its registers, its stack and memory: random numbers, values of keys.  Whoever changes it has
 * not gone round a waiting loop (waiting.h, vain.h), nor tried for a lock again (tries.h), in the same state. */
#ifndef ACCESS_UNSEEN_H
#define ACCESS_UNSEEN_H

/* The current thread changes it.  pre: on a fiber. */
void unseen_changes(void);

/* Each thread has random numbers of its own from now on (clock_random). */
void unseen_init(void);

#endif
