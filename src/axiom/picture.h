/* Private to picture*.c: an execution as boxes and arrows, before anybody draws them.
 *
 * Between two actions there is at most one arrow; it carries all names that connect them.  Orders
 * are shown without what follows from transitivity.  What breaks a rule of the model is strong, and
 * carries the rule's names for its steps. */
#ifndef AXIOM_PICTURE_H
#define AXIOM_PICTURE_H

#include "axiom/cycle.h"
#include "axiom/witness.h"

struct picture_edge {
  int from, to;
  const char *label; /* "" for plain program order */
  const char *colour;
  bool strong;
};

struct picture {
  const struct witness *w;
  int x; /* which execution */
  struct arena *arena;
  LIST(struct picture_edge) edges;
};

struct picture picture_of(const struct witness *w, int x, const struct violations *broken,
                          struct arena *a);
bool picture_shows(const struct picture *p, int action);

/* "a11: write(x,1)"; the sets of the model that the action is in, "" if none; and for models of
 * persistent memory what is in it after the crash, "" for others. */
const char *picture_text(const struct picture *p, int action);
const char *picture_sets(const struct picture *p, int action);
const char *picture_memory(const struct picture *p);
const char *picture_title(const struct picture *p, const char *test);

#endif
