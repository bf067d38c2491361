/* Waypoints: where executions of an ordinary program were, for others that begin alike.
 *
 * A search over all schedules goes back to the newest step that can be another one, and most of an execution is what the
 * one before did, too.  So now and then the program is kept as it is, and the next execution goes on from the last
 * waypoint before the two part.  It is the same as from the start: nobody was asked yet what comes next, and nothing was
 * learnt since that would have made a difference on the way.
 *
 *      start ----- w1 ----- w2 ---+-- w3 ---- end of an execution
 *                                 +---------- end of the next one, which goes on from w2 */
#ifndef SEARCH_WAYPOINTS_H
#define SEARCH_WAYPOINTS_H

#include <stdbool.h>
#include <stdint.h>

/* So many steps apart, at least; 0: there are none, because somebody wants to see each execution from its start. */
void waypoints_enable(uint64_t steps);

/* An execution begins, by the reduction (all) or otherwise.  True: it goes on from a waypoint. */
bool waypoints_begin(bool all);

/* Host side; pre: the execution that has begun goes on from a waypoint.  The program is put there, and once the
 * settings of the execution are made, so are its counts. */
void waypoints_restore(void);
void waypoints_restore_counts(void);

bool waypoints_wanted(void); /* on a fiber, where nobody was asked yet: is this to be one? */
void waypoints_take(void);   /* host side: it is; the program pauses */
void waypoints_end(
    void); /* no more in this execution: what happened is not all in the program's memory */

#endif
