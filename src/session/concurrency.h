/* Findings of ordinary programs that need no failure of an execution: data races, and loads that store
 * buffers would let pass earlier stores (sc). */
#ifndef SESSION_CONCURRENCY_H
#define SESSION_CONCURRENCY_H

#include <stdbool.h>

/* Look at the execution that has just ended (search/interleavings.h). */
void concurrency_check(bool data_races, bool store_buffers);

/* The same only for the fewest fences that make the program store-buffer safe; true: others are chosen now. */
bool concurrency_consider_fences(void);
/* Has store_buffers found anything?  Put the chosen ones into the results: every execution was considered. */
bool concurrency_wants_fences(void);
struct results;
void concurrency_tell_fences(struct results *r);

/* At the end of an execution: which threads have ended with a lock in hand? */
void concurrency_note_leaks(void);
void concurrency_share(void); /* register what a run changes, for --isolate */

#endif
