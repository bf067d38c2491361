/* Findings of ordinary programs that need no failure of an execution: data races, and loads that store
 * buffers would let pass earlier stores (sc). */
#ifndef SESSION_CONCURRENCY_H
#define SESSION_CONCURRENCY_H

#include <stdbool.h>

/* Look at the execution that has just ended (search/interleavings.h).  False: it has too many threads at once for
 * store_buffers. */
bool concurrency_check(bool data_races, bool store_buffers);

/* Look at it only for the fewest fences that make the program store-buffer safe (analysis/fences.h).  True: other
 * fences are chosen now. */
bool concurrency_consider_fences(void);
/* wants: has the check of store buffers found anything?  tell: put the chosen fences into the results; pre: every
 * execution was considered. */
bool concurrency_wants_fences(void);
struct results;
void concurrency_tell_fences(struct results *r);

/* At the end of an execution: find threads that have ended while they held a lock. */
void concurrency_note_leaks(void);
void concurrency_share(void); /* register what a run changes, for --isolate */

#endif
