/* What would prevent a finding, collected from executions that show it.
 *
 * A finding is prevented if each of its executions is.  A case is one of them: the stores that it
 * lost, of which one has to be made persistent.  Cases are gathered wherever parts of the search
 * are, put together in the order of executions, and settled at the end, so that the advice does
 * not depend on how the search was divided.  For the same reason only the first executions count,
 * however many more were looked at. */
#ifndef FINDING_PREVENTION_H
#define FINDING_PREVENTION_H

#include "finding/finding.h"

#define PREVENTION_EXECUTIONS_MAX 1000
#define PREVENTION_EFFORT_MAX 20000000 /* steps for one finding: about a second */

/* Is there nothing more to learn: too many steps, or an execution that nothing prevents? */
bool prevention_is_closed(const struct finding_prevention *p);

/* Does an earlier case imply this one? */
bool prevention_knows(const struct finding_prevention *p, const struct finding_case *c);

/* One more case, which is taken over; one that is known is dropped. */
void prevention_add(struct finding_prevention *p, struct finding_case *c);

/* `next`, which is left empty, was gathered from the executions after those of `p`. */
void prevention_join(struct finding_prevention *p, struct finding_prevention *next);

/* Fill in fix, fix_place and windows, if there are none. */
void prevention_settle(struct finding *f);

#endif
