/* What executions have stored, for states that are compared (search/merge.h): kept once for all of them in
 * which it is the same.
 *
 * A line with what the execution has stored to it is a number, and so is a part of 16 of them, a part of
 * 16 such parts, and so on; equal ones have equal numbers, so the number of the whole says whether two
 * executions have stored the same.  Neighbouring states differ in a few lines: what a state costs is a
 * path for each.  Host memory. */
#ifndef ACCESS_SPACE_TREE_H
#define ACCESS_SPACE_TREE_H

#include "base/intern.h"
#include <stdbool.h>

struct space_line;

struct space_tree {
  struct intern lines, parts;
};

/* pre: what was read is forgotten (space_forget); space_notes_changes since the execution began.
 * counts: as for space_put. */
uint32_t space_tree_put(struct space_tree *t, bool counts);

/* Back to that: only what is different is changed.  pre: right after space_reset. */
void space_tree_set(const struct space_tree *t, uint32_t number);

/* The next execution begins with space_tree_set: space_reset may leave everything as it is. */
void space_tree_expect(void);

void space_tree_clear(struct space_tree *t);

/* For space.c.  The line was changed; those that were, since the last number was taken or set; may all of it
 * stay as it is; all of it is as before the execution. */
void space_tree_changed(struct space_line *l);
struct space_line *const *space_tree_changes(size_t *count);
bool space_tree_keeps(void);
void space_tree_reset(struct space_line *const *touched, size_t count);

#endif
