#ifndef COUNTER_H
#define COUNTER_H

/* A number in persistent memory that only grows, also across failures. */
long *counter_open(void);
long counter_next(long *counter);

extern __thread long counter_last; /* of this thread */

#endif
