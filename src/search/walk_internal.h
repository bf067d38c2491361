/* Where the answers to a load meet again (walk_meeting.c), for walk.c. */
#ifndef SEARCH_WALK_INTERNAL_H
#define SEARCH_WALK_INTERNAL_H

#include "search/walk.h"

/* The answer to the load if there is only one. */
bool walk_certain(const struct walk *w, const struct memo_load *x, uint64_t *value);

/* Run what answer number `which` to n leads to, if that is not known yet.  The walk would come to it anyway; knowing all
 * answers, it may see that they make no difference. */
void walk_probe(struct walk *w, struct memo_node *n, const struct candidate *c, uint32_t which);

/* The one node to which all these answers to n lead; NULL: there is none.  w->between gets the lines that are read on
 * the way. */
struct memo_node *walk_meeting(struct walk *w, const struct memo_node *n, const struct candidate *c,
                               size_t count);

#endif
