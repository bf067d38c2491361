/* Which threads touch what, over all executions of a search.
 *
 * An operation on something that no other thread ever changes, or uses at all, commutes with
 * everything the others do: there is no need to try it later.  Whether that is so is known only at
 * the end, so the search relies on what it has seen and notes that it did.  If another thread then
 * touches the thing after all, the search starts again, knowing better.  Until that moment the
 * explored executions stand for all others, so it cannot be missed.
 *
 * Things are cache lines of any memory, and locks by their address.
 *
 * What was relied on in an execution is told by numbers, for replay: lines are numbered as the
 * execution comes to them, and heap blocks as they are given back.  Host memory. */
#ifndef EXPLORE_SHARING_H
#define EXPLORE_SHARING_H

#include "base/map.h"
#include "base/vec.h"
#include "event/operation.h"

struct sharing_entry;

#define SHARING_NOBODY UINT32_MAX

/* Threads share line (or the giving back of block) number `number`, of which only `writer` stores to
 * it, and therefore need not ask before it loads; or any of them. */
struct sharing_fact {
  uint32_t number, writer;
};
typedef VEC(struct sharing_fact) sharing_facts;

struct sharing {
  struct map numbers; /* 1 + entry */
  VEC(struct sharing_entry) entries;
  uint32_t run, touched;    /* the execution under way, and how much it has numbered */
  uint32_t restarts;        /* of the search */
  sharing_facts given_back; /* by it, noticed by others */
  bool alike;               /* what one thread does any other may do (symmetry) */
  bool told;                /* nothing is learnt: these are all that threads share */
  sharing_facts facts;      /* in order */
};

/* May the search take it that other threads do not notice this?  If so, it relies on it from now on. */
bool sharing_rely(struct sharing *s, const struct operation *o);

/* The operation happens.  False: the search has relied on its not happening. */
bool sharing_note(struct sharing *s, const struct operation *o);

/* Both in one. */
enum sharing_answer {
  SHARING_PRIVATE, /* other threads do not notice, and the search relies on it */
  SHARING_SHARED,
  SHARING_BROKEN, /* it has relied on this not happening */
};
enum sharing_answer sharing_touch(struct sharing *s, const struct operation *o);

/* The thread gives back these bytes: all that others have touched so far are its own now. */
enum sharing_answer sharing_give_back(struct sharing *s, const struct operation *o);

/* Others may come to touch it: do not rely on anything about it.  Returns whether that is new. */
bool sharing_expect(struct sharing *s, const struct operation *o);

/* The search starts again: who touches what stays known, nothing is relied on yet. */
void sharing_restart(struct sharing *s);

/* Several searches of one program rely on what all of them see.  What is new since it was last told; what threads
 * share; and what others tell, false: something was relied on that does not hold.  As text without
 * blanks. */
struct str;
void sharing_tell_news(struct sharing *s, struct str *out);
void sharing_tell_shared(const struct sharing *s, struct str *out);
bool sharing_hear(struct sharing *s, const char *text);
void sharing_free(struct sharing *s);

/* An execution begins. */
void sharing_begin(struct sharing *s);
/* What threads share in the execution, by number. */
void sharing_tell(const struct sharing *s, sharing_facts *out);

#endif
