/* A walk that is left and walked again from its start.
 *
 * What a walk finds out about the equality of what follows (search/recall.h) serves the branches that are opened after
 * that.  Those that were opened before, when memoisation had not begun, or on the way back to a position at which a
 * look ahead interrupted it, are walked answer by answer; each can take as long as all the rest.  So such a walk begins
 * anew: what is known of the program stays known, and nothing is run twice.
 *
 * It comes to the same executions in the same order.  Those that the session was told of before are *owed*: the next
 * ones with such results are not told again, however they are counted, one by one or many at once.  Nothing is owed any
 * more exactly when the walk is where it was left, or beyond; positions before that are not announced
 * (choices.repeats).  Host memory. */
#ifndef SEARCH_AGAIN_H
#define SEARCH_AGAIN_H

#include "base/str.h"
#include "explore/token.h"
#include "search/tally.h"

/* A walk that was left. */
struct again_left {
  struct str position;
  size_t depth;
  struct tally told;
};

struct again {
  bool allowed;      /* for the walk under way, which has told everything from its start */
  bool due;          /* the walk that begins next is one that was left */
  struct tally told; /* by that walk, all in all */
  struct tally owed;
  uint32_t vain;               /* so often it was left since something was told */
  VEC(struct again_left) left; /* oldest first */
};

/* A walk begins, and ends; finished: it was walked to its end. */
void again_forget(struct again *a); /* the search begins */
void again_begin(struct again *a, bool allowed);
void again_end(struct again *a, bool finished);
void again_forbid(
    struct again *a); /* the walk under way has come to something that is no single result */

/* The walk under way is left, to begin again at once.  pre: it is allowed, and nothing is owed. */
void again_leave(struct again *a);
/* Would it come further than before?  Not if it has been left several times, and has told nothing. */
bool again_gets_on(const struct again *a);
/* It is left at that position; so many decisions come before it. */
void again_stop(struct again *a, const choice_list *position, size_t depth);
/* The search goes on at that position.  Was a walk left there?  Then it is the next one, and begins after so many
 * decisions; otherwise 0. */
size_t again_return(struct again *a, const choice_list *position);

/* An execution has this result: shall the session be told? */
bool again_tells(struct again *a, uint32_t result);
/* Those of `all` that the session shall be told of; *scratch is freed by the caller.  note: it was. */
const struct tally *again_rest(const struct again *a, const struct tally *all,
                               struct tally *scratch);
void again_note(struct again *a, const struct tally *all, const struct tally *rest);

#endif
