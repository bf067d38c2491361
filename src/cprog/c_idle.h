/* Turns of loops that change nothing, and accesses in them that matter all the same.
 *
 * Nobody has to take such a turn: whoever does can as well wait there, or leave it out.  But what it
 * accesses can race, or be freed, and the last turn need not access it:
 *
 *   while (!flag) { t = data; }        flag = 1;
 *   done = 1;                          if (done) data = 5;
 *
 * Only somebody who goes on after such a turn lets the other thread write; a write that is due to
 * nothing behind the turn happens as well if the thread waits there.  Another turn of that kind says
 * nothing new, so one of them is kept in each execution of a loop (c_options.keeps_idle). */
#ifndef CPROG_C_IDLE_H
#define CPROG_C_IDLE_H

#include "axiom/domain.h"
#include "cprog/c_exec.h"

/* Notes what a turn has accessed since then and the last one need not; `start` is the turn's guard.
 * True if some of it clashes, as of the last round. */
bool c_idle_note(struct c_exec *x, int start, int first_part);

/* Of what was noted, does anything clash: another thread, because of what this one does later, frees
 * it, or accesses it so that a model may call it a race?  Also notes it in the accesses (NULL = not). */
bool c_idle_find(struct c_exec *x, const struct values *domain, struct c_access *accesses);

#endif
