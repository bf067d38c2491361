#include "event/lanes.h"
#include <string.h>

/* May the new thread take that lane: has its creator joined the lane's thread before? */
static bool may_take(const struct lanes_free *f, uint32_t after, uint32_t creator) {
  return f->joiner == creator && after && after - 1 > f->position;
}

static void take(struct lanes *l, const struct operation *o, uint32_t after, uint32_t creator,
                 struct lanes_change *c) {
  uint32_t i = 0;
  while (i < l->unused.length && !may_take(&l->unused.data[i], after, creator))
    i++;
  c->thread = o->thread;
  c->taken_at = LANES_NONE;
  if (i == l->unused.length) {
    l->of.data[o->thread] = l->count++;
    return;
  }
  c->taken_at = i;
  c->from = l->unused.data[i];
  l->of.data[o->thread] = c->from.lane;
  l->unused.length--;
  memmove(&l->unused.data[i], &l->unused.data[i + 1],
          (l->unused.length - i) * sizeof *l->unused.data);
}

struct lanes_change lanes_add(struct lanes *l, const struct operation *o, uint32_t after,
                              uint32_t position, uint32_t creator) {
  struct lanes_change c = {.thread = LANES_NONE};
  uint32_t joined = o->joins ? o->joins - 1 : LANES_NONE;
  while (l->of.length <= o->thread)
    vec_push(&l->of, LANES_NONE);
  if (l->of.data[o->thread] == LANES_NONE)
    take(l, o, after, creator, &c);
  if (joined < l->of.length && l->of.data[joined] != LANES_NONE) {
    vec_push(&l->unused, ((struct lanes_free){l->of.data[joined], o->thread, position}));
    c.freed = true;
  }
  return c;
}

void lanes_take_back(struct lanes *l, const struct lanes_change *c) {
  if (c->freed)
    l->unused.length--;
  if (c->thread == LANES_NONE)
    return;
  l->of.data[c->thread] = LANES_NONE;
  if (c->taken_at == LANES_NONE) {
    l->count--;
    return;
  }
  size_t at = c->taken_at;
  vec_push(&l->unused, c->from);
  memmove(&l->unused.data[at + 1], &l->unused.data[at],
          (l->unused.length - 1 - at) * sizeof *l->unused.data);
  l->unused.data[at] = c->from;
}
