/* Counters by a pair of numbers: how often a thread was at some place.  World memory. */
#ifndef ACCESS_VISITS_H
#define ACCESS_VISITS_H

#include <stdint.h>

struct visits;

/* The count for that place, 0 at first; *v is made at the first use.  The pointer is good until the next call. */
uint32_t *visits_at(struct visits **v, uint64_t where, uint64_t which);

void visits_forget(struct visits *v); /* may be NULL */

#endif
