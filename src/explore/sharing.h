/* Which threads touch what, over all executions of a search.
 *
 * An operation on something that no other thread ever changes, or uses at all, commutes with
 * everything the others do: there is no need to try it later.  Whether that is so is known only at
 * the end, so the search relies on what it has seen and notes that it did.  If another thread then
 * touches the thing after all, the search starts again, knowing better.  Until that moment the
 * explored executions stand for all others, so it cannot be missed.
 *
 * Things are cache lines of any memory, and locks by their address.  Host memory. */
#ifndef EXPLORE_SHARING_H
#define EXPLORE_SHARING_H

#include "event/operation.h"

struct sharing_entry;

struct sharing {
  struct sharing_entry *entries; /* hashed, open addressing */
  uint32_t count, capacity;
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

/* Others may come to touch it: do not rely on anything about it. */
void sharing_expect(struct sharing *s, const struct operation *o);

/* The search starts again: who touches what stays known, nothing is relied on yet. */
void sharing_restart(struct sharing *s);

#endif
