/* State merging before any failure, where schedules are explored by traces: an execution that comes to a state in which
 * an earlier one was does not go on (explore/joins.h, search/trace_state.h).
 *
 * What a failure after the state can leave is then the same, too.  What would be lost are failures at cuts in which
 * something from the execution's own way to the state has not happened yet, but something after it has.  In such a cut
 * only threads that do not depend on what is missing have gone on.  If that can be one thread only, it is run alone
 * from the state (traces.join.alone), and the failures of that execution are searched; if it can be two, the execution
 * is not joined.  docs/decisions.md (2026-11-16, "executions by traces that
 * come to the same state go on once") says why nothing else is lost. */
#ifndef SEARCH_TRACE_JOIN_H
#define SEARCH_TRACE_JOIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct memo_node;
struct operation;

void trace_join_begin(void); /* of a search, or of a unit: no states are known */

/* Parts of a search that has begun to join executions have to be explored in the same way, because the operations in
 * their sleep sets were (explore/dpor.h).  tell: put that down in front of a unit's text; hear: read it, and return the
 * rest. */
struct str;
void trace_join_tell(struct str *out);
const char *trace_join_hear(const char *text);

void trace_join_run_begins(void);
bool trace_join_spares(void);     /* may joining spare much of what is left? */
bool trace_join_is_settled(void); /* was it found to pay after the last failure, in this unit? */

/* The execution is about to take a new step: was an earlier one in this state, so that it need not go on? */
bool trace_join_here(const struct operation *options, uint32_t count);

/* It has ended, and was joined: plan other orders of its events and what was explored after the state. */
void trace_join_foresee(void);

/* The same for executions after the last failure, where no cut can be lost.  The walk comes to the first choice among
 * several threads; to a further one (true: it need not go on there); an operation happens; it goes back to so many. */
void trace_join_last_begins(void);
/* lacks: the state there is wanted, but nobody has taken it when a run came by: it has to be run once more.  Otherwise
 * it would depend on who came there when, and not on the execution before the failure alone, what is joined. */
bool trace_join_last_lacks(const struct memo_node *n);
bool trace_join_last_here(const struct memo_node *n);
void trace_join_last_note(const struct operation *o);
void trace_join_last_retreat(size_t operations);
/* In a run after the last failure, at a choice that is not in the trie yet: put down a number for the state, or 0.  True:
 * it was explored, so the walk will probably not go on there. */
bool trace_join_last_state(struct memo_node *n);

#endif
