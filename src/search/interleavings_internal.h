/* What interleavings.c, which runs executions, and interleavings_unit.c, which knows parts of the search, share. */
#ifndef SEARCH_INTERLEAVINGS_INTERNAL_H
#define SEARCH_INTERLEAVINGS_INTERNAL_H

#include "search/interleavings.h"

/* pct: the longest of so many schedules is taken to be the length of all, so that each of the others is a function of
 * its number. */
#define INTERLEAVINGS_TRIALS 16

/* The search begins, perhaps again; an execution; the next one, false: there is none; the search must be left. */
void interleavings_begin_again(void);
void interleavings_run_once(void);
bool interleavings_next(void);
bool interleavings_over(void);

/* Until all is explored, or there were so many executions.  False: there is more. */
bool interleavings_explore(uint64_t most);

/* Each class of schedules once is often less than each schedule with few preemptions.  False: it is too much, and
   schedules with few preemptions are still to be explored. */
bool interleavings_explore_classes(void);

void interleavings_explore_units(void);

void interleavings_look_ahead(void); /* after each execution, before the next one is decided */

#endif
