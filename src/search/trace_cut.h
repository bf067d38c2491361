/* Failures in an execution before any failure, where schedules are explored by traces (search/traces.h): what it did
 * gets its moments, and one walk goes over everything that can follow a failure at one of its cuts.  And which cut a
 * finding is reported with. */
#ifndef SEARCH_TRACE_CUT_H
#define SEARCH_TRACE_CUT_H

#include <stdbool.h>
#include <stdint.h>

struct event;

/* The execution has ended, and its turns are the choices so far: search the executions after a failure at any cut of
 * it that no earlier execution has. */
void trace_cut_search(void);

/* Is it a moment: a store or write-back before or after which a failure makes a difference? */
bool trace_cut_is_moment(const struct event *e);

/* The execution under way is to be reported: describe its first failure by the least cut that explains what was
 * read. */
void trace_cut_describe(void);

/* Does the least cut of the execution before any failure contain that event? */
bool trace_cut_has_happened(uint32_t event);

#endif
