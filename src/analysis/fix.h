/* Where a missing flush belongs.
 *
 * A store was lost although a later one, which it happens before, survived.  A flush of its line and
 * a fence help if they happen between the two, in whichever thread that is:
 *
 *      thread 0:  x=1 [----------] unlock                 the window of thread 0: the primary one
 *      thread 1:                    lock [------] y=1     another one
 *
 * The window of the thread that made the store may be empty: if the other one has read the store
 * itself, the first can be stopped right behind it.  Then whoever has read it must persist it. */
#ifndef ANALYSIS_FIX_H
#define ANALYSIS_FIX_H

#include "event/clock.h"

struct fix_window {
  int thread;
  bool primary;           /* of the thread that made the store */
  uint32_t after, before; /* steps; neither belongs to the window */
  /* A flush in the window that is not completed there, so that only a fence is missing; or TRACE_NONE. */
  uint32_t flush;
};

typedef VEC(struct fix_window) fix_window_list;

/* Are both stores parts of one copy, or of one store across cache lines?  Then there is no place for a flush between
 * them. */
bool fix_is_one_access(const struct trace *trace, const struct clock *clock, uint32_t lost,
                       uint32_t survivor);

/* The windows that are not empty, the primary one first; none if both are parts of one access.
 * pre: lost happens before survivor. */
void fix_windows(const struct trace *trace, const struct clock *clock, uint32_t lost,
                 uint32_t survivor, fix_window_list *out);

#endif
