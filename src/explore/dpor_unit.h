/* A part of the search over schedules: what follows a prefix.
 *
 * A unit is a prefix of an execution and processes that are barred after it: they do not go on until something
 * happens that depends on what they are about to do.  So the schedules after a prefix fall into two
 * units: those that could begin with the next event, and those that could not, where its process is barred.
 *
 *      unit  e1 e2 | ...          e1 e2 e3 | ...                 after e3
 *                                 e1 e2    | ..., e3 is barred   those in which e3 cannot come first
 *
 * Somebody who is barred is like somebody who cannot go on, so a unit is explored as if it were a program of its
 * own, and nobody need know what others find.  Who sleeps, on the other hand, has been explored, and what
 * could begin with him is left out: that is right only if everything that was found behind him is known.
 *
 * What a unit shows about schedules before its prefix ends is told by the position: something is `wanted` there.
 * What the other unit there is, was said when the prefix was made (dpor_divide).
 *
 * A unit is a text, "SHARED;NODE;...;NODE;LAST": so many nodes are shared, their alternatives are left to others;
 * a node is an event and what is to be tried instead of it, the last one is where the execution goes on. */
#ifndef EXPLORE_DPOR_UNIT_H
#define EXPLORE_DPOR_UNIT_H

#include "base/str.h"
#include "explore/dpor_internal.h"

#define DPOR_WHOLE "0;0.0.0.0.0.0.0" /* all of the search */

struct dpor_given {
  uint32_t process, way, tried;
  bool planned, failed, bars;
  VEC(struct dpor_sleeper) sleepers;
  struct dpor_branch *alternatives;
};

/* How many events the unit begins with that were not there yet. */
static inline uint32_t dpor_given_events(const struct dpor *d) {
  return d->given_count ? d->given_count - 1 : 0;
}
void dpor_forget_given(struct dpor *d); /* not while the program runs */

/* Begin with that unit; everything else is forgotten.  False: it is none. */
bool dpor_load(struct dpor *d, const char *unit);

/* Between two executions, after dpor_next.  Leave to others what is to be tried instead of the first event
 * for which there is something.  Puts down, for this event and for those before it from the root of the unit on, a
 * line "NODE LAST": as a part of prefixes, and as the last of the unit with what is to be tried instead.  The
 * unit's root is behind it then.  False: there is no such event. */
bool dpor_divide(struct dpor *d, struct str *lines);

/* The rest of the unit, as NODE;...;LAST. */
void dpor_tell_rest(const struct dpor *d, struct str *out);

#endif
