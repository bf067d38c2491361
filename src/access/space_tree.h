/* What executions have stored, as hash-consed trees: equal contents have equal numbers (for states, search/merge.h).
 *
 * A line with what the execution has stored to it is a number, and so is a group of 16 lines, a group of 16 such
 * groups, and so on (as in a Merkle tree, but interned instead of hashed).  So one number says whether two executions
 * have stored the same, and neighbouring states, which differ in a few lines, cost a path for each of these.  Host
 * memory. */
#ifndef ACCESS_SPACE_TREE_H
#define ACCESS_SPACE_TREE_H

#include "base/intern.h"
#include <stdbool.h>

struct space_line;

struct space_tree {
  struct intern lines, parts;
};

/* The number for what the execution has stored.  pre: what was read is forgotten (space_forget); space_notes_changes
 * was set since the execution began.  counts: as for space_put. */
uint32_t space_tree_put(struct space_tree *t, bool counts);

/* Back to that number: only lines that differ are changed.  pre: right after space_reset. */
void space_tree_set(const struct space_tree *t, uint32_t number);

/* The next execution begins with space_tree_set: space_reset may leave everything as it is. */
void space_tree_expect(void);

void space_tree_clear(struct space_tree *t);

/* For space.c.  changed: the line was changed.  changes: the lines that were since a number was last put or set.
 * keeps: may space_reset leave everything as it is (space_tree_expect)?  reset: these lines are as before the execution
 * again. */
void space_tree_changed(struct space_line *l);
struct space_line *const *space_tree_changes(size_t *count);
bool space_tree_keeps(void);
void space_tree_reset(struct space_line *const *touched, size_t count);

#endif
