/* Numbers of threads that do not depend on who was created first (--model=sc, tso).
 *
 * Where only main creates threads they are numbered in their order.  If others do, too, that order would be one more
 * thing that schedules differ in: a sort that divides its work among 14 threads has one trace, and as many executions as
 * there are orders of creating them.  So how many threads each thread creates is learnt, like who touches what
 * (explore/sharing.h), and the numbers are: 0 for main, then its children, then those of thread 1, of thread 2, ...
 *
 *      main creates 1 and 2, each of them two more:     0 | 1 2 | 3 4 | 5 6
 *
 * A thread that nobody knew of breaks the search, which starts again.  A replay is told by the token. */
#ifndef ACCESS_BIRTHS_H
#define ACCESS_BIRTHS_H

#include "base/vec.h"
#include <stdint.h>

/* By the number of a thread: how many it creates; none are told for the last ones. */
typedef VEC(uint32_t) births_counts;

void births_init(void);  /* takes thread_strategy.birth */
void births_begin(void); /* an execution begins */

/* For tokens: what is known in the execution under way, empty if threads are numbered in their order.  And the other way
 * round. */
const births_counts *births_known(void);
void births_tell(const births_counts *counts);

#endif
