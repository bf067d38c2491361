/* The one door for everything that is not determined by the program: fail here or go on, which
 * store a load reads, which machine fails.
 *
 * The stack holds the decisions of the execution under way, oldest first.  The search opens a
 * choice, takes its alternatives one after the other and closes it again.  The text of the stack is
 * the replay token (token.h); with a token set, only the alternative it names is taken.
 *
 * A search may be given a range of executions [from, to): it goes straight to the position `from`
 * and is `past` its range when it would come to `to`. */
#ifndef EXPLORE_CHOICE_H
#define EXPLORE_CHOICE_H

#include "explore/token.h"

struct choices {
  choice_list stack;
  choice_list forced; /* replay: what to take at depth i */
  bool replaying;
  size_t preview;      /* depth of the next previewed choice */
  bool previews_begin; /* ... which is still on the way to `from` */
  bool diverged;       /* the token, or the range, does not fit this program */
  uint64_t taken;      /* so many alternatives so far, of all choices */

  choice_list from, to;
  bool bounded;                /* there is a `to`; otherwise the range has no end */
  bool starting;               /* on the way to `from` */
  bool past;                   /* nothing of the range is left */
  bool divides_runs;           /* a range may begin within a sampled schedule */
  size_t from_match, to_match; /* so many decisions of the stack are those of from, to */
  /* The search stands at a new position, and everything before it is done.  NULL: nobody cares. */
  void (*boundary)(struct choices *c);
};

/* Open a choice between `count` alternatives and take the first (replay: the token's). */
uint32_t choice_open(struct choices *c, enum choice_kind kind, uint32_t count);
/* The same, beginning with alternative `first`. */
uint32_t choice_open_at(struct choices *c, enum choice_kind kind, uint32_t count, uint32_t first);

/* Take the next alternative of the newest choice.  False if there is none: then it is closed. */
bool choice_next(struct choices *c);
/* The same with an alternative of the caller's choosing, `which` < count; not in a replay. */
bool choice_jump(struct choices *c, uint32_t which);

/* Take one alternative on its own, out of `count` if that is known (otherwise 0), to be closed by the
 * caller.  False if the token does not take it, or it is not in the range. */
bool choice_enter(struct choices *c, enum choice_kind kind, uint32_t which, uint32_t count);
void choice_close(struct choices *c);
/* The same for one that lies before the range: nothing of it counts. */
void choice_pass(struct choices *c, enum choice_kind kind, uint32_t which);

/* While the program runs ahead of the search: which alternative the next choices will take, in the
 * order in which they will be opened. */
void choice_preview_begin(struct choices *c);
uint32_t choice_preview(struct choices *c, uint32_t count, uint32_t first);

/* The execution ends.  Is it one that was asked for?  (Replay: the one the token names.) */
bool choice_complete(struct choices *c);

/* "f3.r1.r0*2" (the last one twice) and back; parse returns false if the text is no token.  The
 * position also says which of the sampled schedules it is. */
void choice_token(const struct choices *c, struct str *out);
void choice_update_token(const struct choices *c, struct token_text *t);
void choice_position(const struct choices *c, struct str *out);
bool choice_parse(struct choices *c, const char *token);

/* pre: nothing is open.  Search from one position to another; to NULL: to the end.  False: no tokens. */
bool choice_set_range(struct choices *c, const char *from, const char *to);

/* The stack is a position, and everything before it is done. */
void choice_stand(struct choices *c);

/* Is everything that begins with the decisions so far in the range? */
bool choice_is_whole(const struct choices *c);

/* pre: in boundary().  Give the later part of the range away, which begins where *where says then.
 * False: nothing is left that could be. */
bool choice_split(struct choices *c, struct str *where);
/* Positions that divide what is left into about `count` pieces, one a line, in order. */
void choice_pieces(const struct choices *c, uint32_t count, struct str *out);
/* End the range here, and go on with the rest of it as the next one; or do not. */
void choice_cut(struct choices *c);
void choice_stop(struct choices *c);

#endif
