/* The one door for everything that is not determined by the program: fail here or go on, which
 * store a load reads, which machine fails.
 *
 * The stack holds the decisions of the execution under way, oldest first.  The search opens a
 * choice, takes its alternatives one after the other and closes it again.  The text of the stack is
 * the replay token; with a token set, only the alternative it names is taken. */
#ifndef EXPLORE_CHOICE_H
#define EXPLORE_CHOICE_H

#include "base/str.h"
#include "base/vec.h"
#include <stdbool.h>
#include <stdint.h>

/* CHOICE(name, letter in tokens) */
#define CHOICE_KINDS(CHOICE) \
  CHOICE(FAILURE, 'f')  /* at failure point number n of the execution; alternatives: points */ \
  CHOICE(READ, 'r')     /* which candidate a load reads */ \
  CHOICE(SCHEDULE, 's') /* which thread, or store buffer, goes on */ \
  CHOICE(MACHINE, 'm')  /* cxl: 0 = go on, n = machine n-1 fails */ \
  CHOICE(POISON, 'p')   /* is the line poisoned? */ \
  CHOICE(TURN, 't')     /* traces: the process (explore/dpor.h) of the next operation */ \
  CHOICE(CUT, 'c')  /* traces: so much of the next process must have happened at the failure */ \
  CHOICE(ALSO, 'a') /* traces: of the threads that failed, the one after n others */

enum choice_kind {
#define CHOICE(name, letter) CHOICE_##name,
  CHOICE_KINDS(CHOICE)
#undef CHOICE
};

struct choice {
  enum choice_kind kind;
  uint32_t taken, count;
};

struct choices {
  VEC(struct choice) stack;
  VEC(struct choice) forced; /* replay: what to take at depth i */
  bool replaying;
  size_t preview; /* depth of the next previewed choice */
  bool diverged;  /* replay: the token does not fit this program */
};

/* Open a choice between `count` alternatives and take the first (replay: the token's). */
uint32_t choice_open(struct choices *c, enum choice_kind kind, uint32_t count);
/* The same, beginning with alternative `first`. */
uint32_t choice_open_at(struct choices *c, enum choice_kind kind, uint32_t count, uint32_t first);

/* Take the next alternative of the newest choice.  False if there is none: then it is closed. */
bool choice_next(struct choices *c);
/* The same with an alternative of the caller's choosing, `which` < count; not in a replay. */
bool choice_jump(struct choices *c, uint32_t which);

/* Take one alternative on its own, to be closed by the caller.  False (replay only) if the token
 * does not take it. */
bool choice_enter(struct choices *c, enum choice_kind kind, uint32_t which);
void choice_close(struct choices *c);

/* While the program runs ahead of the search: which alternative the next choices will take, in the
 * order in which they will be opened. */
void choice_preview_begin(struct choices *c);
uint32_t choice_preview(struct choices *c, uint32_t count, uint32_t first);

/* Is the execution under way one that was asked for?  (Replay: the one the token names.) */
bool choice_complete(const struct choices *c);

/* "f3.r1.r0*2" (the last one twice) and back; parse returns false if the text is no token. */
void choice_token(const struct choices *c, struct str *out);
bool choice_parse(struct choices *c, const char *token);

#endif
