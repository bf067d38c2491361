/* What interleavings.c (runs executions), interleavings_unit.c (parts of the search) and interleavings_ahead.c
 * (samples) share. */
#ifndef SEARCH_INTERLEAVINGS_INTERNAL_H
#define SEARCH_INTERLEAVINGS_INTERNAL_H

#include "search/interleavings.h"

void interleavings_begin_again(void); /* the search begins, perhaps again: nothing is counted yet */
void interleavings_run_once(void);    /* run the execution that was decided on */
bool interleavings_next(void);        /* decide on the next one; false: there is none */
bool interleavings_over(void);        /* must the search be left? */
/* pct: what threads share was not known when schedules were measured. */
void interleavings_forget_lengths(void);

/* Until all is explored, or there were so many executions.  False: there is more. */
bool interleavings_explore(uint64_t most);

/* bounded: one execution for each class of schedules is often less than each schedule with few preemptions.  False:
 * there are too many classes, and the bounded schedules are still to be explored. */
bool interleavings_explore_classes(void);

void interleavings_explore_units(void);

void interleavings_look_ahead(void); /* after each execution, before the next one is decided */

#endif
