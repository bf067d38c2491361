/* The stack of decisions of the execution under way: everything that is not determined by the program (fail here or go
 * on, which store a load reads, who goes on, which machine fails).
 *
 * The searches open a choice, take its alternatives one after the other and close it again; oldest choices lie below.
 * The text of the stack is the replay token (token.h).  With a token set (a replay) only the alternative it names is
 * taken.
 *
 * A search may be given a range of executions [from, to), for work sharing by prefixes: it goes straight to the
 * position `from`, without counting anything on the way, and is `past` its range when it would come to `to`.
 *
 *      from f2.r1        stack f2.r1.r0     to f3        everything from f2.r1 on that begins with f2
 */
#ifndef EXPLORE_CHOICE_H
#define EXPLORE_CHOICE_H

#include "explore/token.h"

struct choices {
  choice_list stack;
  choice_list forced; /* replay: what to take at depth i */
  bool replaying;
  size_t preview;      /* depth of the next previewed choice, */
  bool previews_begin; /* which is still on the way to `from` */
  bool diverged;       /* the token, or the range, does not fit this program */
  uint64_t taken;      /* alternatives that were taken so far, of all choices */

  choice_list from, to;
  bool bounded;      /* there is a `to`; otherwise the range has no end */
  bool starting;     /* the search is on the way to `from`: nothing counts yet */
  bool repeats;      /* it is where it was before: positions are not announced */
  bool past;         /* nothing of the range is left */
  bool divides_runs; /* a range may begin within a sampled schedule */
  bool divides_all;  /* for tests: ignore `together` */
  /* What comes after the first so many decisions is not given away, because whoever took it would have to find out most
   * of the same again (recall_is_steady); 0: anything may be. */
  size_t together;
  size_t from_match, to_match; /* so many decisions of the stack are those of from, to */
  /* The newest position that was announced (boundary) had so many decisions; 0: none since the range began. */
  size_t stood;
  /* Called when the search stands at a new position, and everything before it is done.  May be NULL. */
  void (*boundary)(struct choices *c);
  void (*stopped)(struct choices *c); /* called when that has ended the range; may be NULL */
};

/* Open a choice between `count` alternatives and take the first (replay: the token's). */
uint32_t choice_open(struct choices *c, enum choice_kind kind, uint32_t count);
/* The same, beginning with alternative `first`. */
uint32_t choice_open_at(struct choices *c, enum choice_kind kind, uint32_t count, uint32_t first);

/* Take the next alternative of the newest choice.  False if there is none: then it is closed. */
bool choice_next(struct choices *c);
/* The same with alternative number `which`; count: none, close the choice. */
bool choice_jump(struct choices *c, uint32_t which);

/* A choice of which only alternative `which` is tried here, out of `count` if that is known (otherwise 0); closed by
 * the caller.  False: the token does not take it, or it is not in the range. */
bool choice_enter(struct choices *c, enum choice_kind kind, uint32_t which, uint32_t count);
void choice_close(struct choices *c);
/* Put a decision on the stack without looking at token or range: it has no alternatives, or lies before the range. */
void choice_pass(struct choices *c, enum choice_kind kind, uint32_t which);

/* While the program runs ahead of the walk that opens the choices: which alternative the next ones will take, in the
 * order in which they will be opened. */
void choice_preview_begin(struct choices *c);
uint32_t choice_preview(struct choices *c, uint32_t count, uint32_t first);

/* The execution ends.  Is it one that was asked for?  (Replay: the one the token names.) */
bool choice_complete(struct choices *c);

/* The stack as text, "f3.r1.r0*2" (the last decision twice), and back; parse returns false if the text is no token.
 * The position also says which of the sampled schedules it is. */
void choice_token(const struct choices *c, struct str *out);
void choice_update_token(const struct choices *c, struct token_text *t);
void choice_position(const struct choices *c, struct str *out);
bool choice_parse(struct choices *c, const char *token);

/* pre: nothing is open.  Search from one position to another; to NULL: to the end.  False: no tokens. */
bool choice_set_range(struct choices *c, const char *from, const char *to);

/* The stack is a position, and everything before it is done: calls boundary. */
void choice_stand(struct choices *c);

/* The execution under way is given up: announce the newest position again, so that a later part can begin there. */
void choice_stand_back(struct choices *c);

/* Is everything that begins with the decisions so far in the range? */
bool choice_is_whole(const struct choices *c);

/* pre: in boundary().  Give the later part of the range away, about half of it; *where gets the position at which it
 * begins. False: nothing is left that could be given. */
bool choice_split(struct choices *c, struct str *where);
/* Likewise, all that comes after the oldest decision. */
bool choice_leave(struct choices *c, struct str *where);
/* Positions that divide what is left into about `count` pieces, one a line, in order. */
void choice_pieces(const struct choices *c, uint32_t count, struct str *out);
/* cut: end the range here, and go on with the rest of it as a new range.  stop: end it, and do not go on. */
void choice_cut(struct choices *c);
void choice_stop(struct choices *c);

#endif
