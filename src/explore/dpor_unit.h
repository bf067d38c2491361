/* Units: parts of a search over schedules that can be explored by different workers (work sharing by prefixes).
 *
 * A unit is a prefix of an execution and a set of operations that are *barred* after it: their processes do not go on
 * until something happens that depends on them.  So the schedules after a prefix fall into two units: those equivalent
 * to one that begins with the next event, and the others, in which that event is barred.
 *
 *      unit  e1 e2 | ...      =      e1 e2 e3 | ...                 everything after e3
 *                             +      e1 e2    | ..., e3 is barred   where e3 cannot come first
 *
 * Barring is like a sleep set that needs no knowledge: a sleeping operation was explored, and leaving out what could
 * begin with it is right only if everything that was found behind it is known here.  A barred one is simply treated as
 * not enabled, so a unit is explored as if it were a program of its own, whatever other workers find.
 *
 * Races of a unit's executions may ask for an alternative to an event of the prefix.  Then that position is `wanted`:
 * the unit for it was put down when the prefix was made (dpor_divide), and the supervisor has it explored
 * (cli/units.h).
 *
 * A unit is a text, "SHARED;NODE;...;NODE;LAST".  A NODE is an event of the prefix with what is to be tried instead of
 * it; alternatives to the first SHARED of them are left to other units.  LAST is where the execution goes on. */
#ifndef EXPLORE_DPOR_UNIT_H
#define EXPLORE_DPOR_UNIT_H

#include "base/str.h"
#include "explore/dpor_internal.h"

#define DPOR_WHOLE "0;0.0.0.0.0.0.0" /* all of the search */

/* A node of the unit. */
struct dpor_given {
  uint32_t process, way, tried;
  bool planned, failed, bars;
  VEC(struct dpor_sleeper) sleepers;
  struct dpor_branch *alternatives;
};

/* Events of the unit's prefix, as long as the first execution has not come to its end. */
static inline uint32_t dpor_given_events(const struct dpor *d) {
  return d->given_count ? d->given_count - 1 : 0;
}
void dpor_forget_given(struct dpor *d); /* not while the program runs */

/* Begin with that unit; everything else is dropped.  False: the text is no unit. */
bool dpor_load(struct dpor *d, const char *unit);

/* Divide the unit, between two executions, after dpor_next: leave to others what is to be tried instead of the first
 * event that has an alternative.  Appends, for this event and those before it from the unit's root on, a line "NODE
 * LAST": NODE for prefixes of units in which the event happens, LAST for the unit in which it is barred.  The unit's
 * root is behind the event then.  False: there is no such event. */
bool dpor_divide(struct dpor *d, struct str *lines);

/* The rest of the unit, as NODE;...;LAST. */
void dpor_tell_rest(const struct dpor *d, struct str *out);

#endif
