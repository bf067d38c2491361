/* What came of decisions of a cxl search, so that others in the same state need not come to it again.
 *
 * A checkpoint is all that an execution needs to go on, so what comes of a decision is a function of it.
 * With a number for the state, which is the world without what machines that have failed had for
 * themselves (survivors_put_world), what machines have said and how those that ended did, is kept: with these
 * versions of the lines that were *consulted* in what followed, it ended so and so often with these verdicts.
 * Whoever comes to the same state with the same versions of these lines takes that over, whatever is in other
 * lines: it would take the same steps.  Counters that only measure (steps, decisions) are left out.
 *
 * States are taken while machines have failed and others may: before the first failure there is one
 * execution, and after the last one survivors.h knows more.  Host memory. */
#ifndef SEARCH_FATE_H
#define SEARCH_FATE_H

#include "access/cxl.h"
#include "search/tally.h"
#include <stdbool.h>
#include <stdint.h>

struct checkpoint;

/* Of a checkpoint. */
struct fate {
  bool counts;        /* all that came of it so far is in the tally */
  bool taken;         /* over, as a whole */
  uint32_t state;     /* its number; 0: it has none */
  uint32_t points;    /* the most decisions about failures of an execution that came of it */
  struct tally tally; /* of lists of verdicts, by number */
  cxl_line_set lines; /* that were consulted */
};

bool fate_is_wanted(void); /* in this search */

/* A decision is about to be opened: its state, if it is worth taking.  pre: the world was saved. */
void fate_begin(struct checkpoint *c);

/* Is it known what comes of it?  Then that counts, and the decision is done. */
bool fate_take(struct checkpoint *c);

/* So many executions (NULL: one) have ended with the verdicts at hand. */
void fate_count(const struct bigint *times);

/* What follows from the newest decision depends on these lines, too; on those that the run has consulted. */
void fate_consult(const cxl_line_set *lines);
void fate_collect(void);

/* The newest checkpoint is given back, and was taken from the list.  whole: everything that can come of it was
 * explored, and memory is as it was there. */
void fate_end(struct checkpoint *c, bool whole);

void fate_forget(
    void); /* all that is known; numbers of states that checkpoints have are not used again */

#endif
