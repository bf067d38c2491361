#include "search/search_internal.h"

/* What is told of a walk that may be left, and begin again from its start (search/again.h). */

/* The next executions with results that are owed were counted before. */
static void note_owed(void) {
  search.history.choices.repeats = search.again.owed.items.length > 0;
}

/* With analyses it would be reported twice what they see on the way. */
void search_walk_begins(void) {
  struct search *s = &search;
  if (s->merges && !s->scout.on)
    again_begin(&s->again,
                s->strategy.kind == STRATEGY_FIXED && !s->analyses && !s->history.choices.starting);
  note_owed();
}

void search_walk_ends(void) {
  struct search *s = &search;
  if (s->merges && !s->scout.on)
    again_end(&s->again, !search_over());
  note_owed();
}

bool search_walk_again(struct walk *w) {
  struct search *s = &search;
  if (!s->again.allowed || s->again.owed.items.length)
    return false;
  again_leave(&s->again);
  w->recall.at_once = true;
  note_owed();
  return true;
}

void search_stopped_here(struct choices *c) {
  struct search *s = &search;
  if (again_gets_on(&s->again) && recall_repeats(&s->walk.recall))
    again_stop(&s->again, &c->stack, s->walk.depth);
}

void search_return(void) {
  struct search *s = &search;
  struct choices *c = &s->history.choices;
  size_t depth = again_return(&s->again, &c->from);
  if (!depth)
    return;
  c->from.length = depth;
  s->walk.recall.at_once = true;
}

void search_tell(const struct memo_node *n, int level) {
  struct search *s = &search;
  if (n->also_count)
    again_forbid(&s->again);
  bool tells = again_tells(&s->again, n->result);
  note_owed();
  if (!tells)
    return;
  s->executions++;
  s->schedules += level == 0;
  search_finish(n->result, n->also, n->also_count);
}

/* Was each result counted before, so that there is an execution to describe? */
static bool all_known(const struct tally *t) {
  struct search *s = &search;
  for (size_t i = 0; i < t->items.length; i++)
    if (!s->known(t->items.data[i].result)) {
      s->refuses = true;
      s->refused = t->items.data[i].result;
      return false;
    }
  return true;
}

bool search_take(struct walk *w, const struct tally *t) {
  struct search *s = &search;
  (void)w;
  struct tally not_owed = {0};
  const struct tally *rest = again_rest(&s->again, t, &not_owed);
  bool can = all_known(rest);
  for (size_t i = 0; can && i < rest->items.length; i++)
    s->repeated(rest->items.data[i].result, &rest->items.data[i].count);
  if (can)
    again_note(&s->again, t, rest);
  note_owed();
  tally_free(&not_owed);
  return can;
}

bool search_is_settled(struct walk *w) {
  const struct tally *told = &search.again.told;
  (void)w;
  for (size_t i = 0; i < told->items.length; i++)
    if (!search.known(told->items.data[i].result))
      return false;
  return true;
}

bool search_relents(struct walk *w) {
  struct search *s = &search;
  (void)w;
  if (!s->refuses || !s->known(s->refused))
    return false;
  s->refuses = false;
  return true;
}
