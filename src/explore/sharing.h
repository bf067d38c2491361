/* Which threads touch what, over all executions of a search: accesses to memory of one thread need not be scheduled.
 *
 * An operation on something that no other thread ever changes (or, for a store, uses at all) commutes with everything
 * the others do, so there is no need to try it later.  Whether that is so is known only at the end of the search.  So
 * the search is optimistic: it relies on what it has seen so far, and notes that it did.  If another thread touches the
 * thing after all, the search starts again, knowing better.  That moment cannot be missed: until it comes, the explored
 * executions stand for all others.
 *
 * Things are cache lines of any memory, and locks by their address.
 *
 * A replay must make the same accesses steps, so what threads share in an execution is part of its token (choices
 * SHARED and WRITER).  There, lines are numbered in the order in which the execution comes to them, and heap blocks in
 * that in which they are given back; addresses would not do.  Used by access/ordinary.c and search/search_program.c.
 * Host memory. */
#ifndef EXPLORE_SHARING_H
#define EXPLORE_SHARING_H

#include "base/map.h"
#include "base/vec.h"
#include "event/operation.h"

struct sharing_entry;

#define SHARING_NOBODY UINT32_MAX
#define SHARING_REALM ((uintptr_t)1 << 60)

/* Threads share line number `number` (or somebody notices that block number `number` is given back).  writer: the only
 * thread that stores to it, whose loads are therefore no steps; SHARING_NOBODY: there are several. */
struct sharing_fact {
  uint32_t number, writer;
};
typedef VEC(struct sharing_fact) sharing_facts;

/* What has changed about an entry in the execution under way: what it was before. */
struct sharing_undo {
  uint32_t entry;
  bool numbered; /* the execution had not come to it, */
  bool noticed;
  uint64_t unnoticed;
};

struct sharing {
  struct map numbers; /* by key: 1 + index of the entry */
  /* Before and after a failure the same address is a different thing: SHARING_REALM or 0, a part of keys. */
  uintptr_t realm;
  VEC(struct sharing_entry) entries;
  /* Number of the execution under way, and how many things it has numbered. */
  uint32_t run, touched;
  uint32_t restarts;        /* of the search */
  sharing_facts given_back; /* blocks that this execution gave back, and others noticed */
  VEC(struct sharing_undo) trail;
  bool alike;          /* what one thread does any other may do (symmetry) */
  bool told;           /* replay: nothing is learnt; `facts` is all that threads share */
  sharing_facts facts; /* in order */
};

/* Has no other thread done anything so far that depends on this operation?  Then the search relies on it from now
 * on. */
bool sharing_rely(struct sharing *s, const struct operation *o);

/* The operation happens.  False: the search has relied on no thread doing that, and must start again. */
bool sharing_note(struct sharing *s, const struct operation *o);

/* sharing_note and sharing_rely in one. */
enum sharing_answer {
  SHARING_PRIVATE, /* other threads do not notice, and the search relies on it */
  SHARING_SHARED,
  SHARING_BROKEN, /* the search has relied on no thread doing that, and must start again */
};
enum sharing_answer sharing_touch(struct sharing *s, const struct operation *o);

/* The thread gives these bytes of the heap back, which counts as a store to every line of them that was touched so
 * far. */
enum sharing_answer sharing_give_back(struct sharing *s, const struct operation *o);

/* From now on do not rely on anything about what the operation touches.  Returns whether that is new. */
bool sharing_expect(struct sharing *s, const struct operation *o);
bool sharing_expects(const struct sharing *s, const struct operation *o); /* is that known? */

/* The search starts again: who touches what stays known, nothing is relied on yet. */
void sharing_restart(struct sharing *s);

/* Workers that explore parts of one search exchange what they know, as text without blanks.  tell_news: what has
 * changed since it was last told.  tell_shared: all that threads share.  hear: what others tell; false: some worker has
 * relied on something that does not hold. */
struct str;
void sharing_tell_news(struct sharing *s, struct str *out);
void sharing_tell_shared(const struct sharing *s, struct str *out);
bool sharing_hear(struct sharing *s, const char *text);
void sharing_free(struct sharing *s);

/* An execution begins. */
void sharing_begin(struct sharing *s);

/* It goes back to where it was then, as far as it is told by numbers; what was learnt stays. */
struct sharing_mark {
  uint32_t touched;
  size_t given_back, trail;
};
struct sharing_mark sharing_mark(const struct sharing *s);
void sharing_back(struct sharing *s, struct sharing_mark m);

/* What threads share in the execution under way, by number. */
void sharing_tell(const struct sharing *s, sharing_facts *out);

#endif
