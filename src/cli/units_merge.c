#include "cli/units_merge.h"
#include "base/check.h"
#include "base/map.h"
#include "cli/units.h"
#include <string.h>

void units_merge_add(struct units_merge *m, struct saved_search *s) {
  vec_push(&m->searches, *s);
  *s = (struct saved_search){0};
}

/* Of the last time that the shard began. */
static bool is_current(const struct saved_search *s, const struct saved_unit *u) {
  return u->again == units_again(&s->parts);
}

/* What shards had found out when they began again. */
static void hear_facts(const struct units_merge *m, struct parts *p) {
  for (size_t i = 0; i < m->searches.length; i++) {
    const struct saved_search *s = &m->searches.data[i];
    for (size_t j = 0; j < s->units.length; j++)
      if (!is_current(s, &s->units.data[j]))
        units_hear(p, s->units.data[j].body);
  }
  units_forget_reliance(p);
}

struct said_at {
  size_t search, unit;
};

/* Where something is said about a unit, by its key: 1 + number in the list. */
struct places {
  struct map by_key;
  VEC(struct said_at) list;
};

/* The first who says something about it is heard. */
static void find_places(const struct units_merge *m, struct places *out) {
  for (size_t i = 0; i < m->searches.length; i++) {
    const struct saved_search *s = &m->searches.data[i];
    for (size_t j = 0; j < s->units.length; j++) {
      uint32_t *at = map_at(&out->by_key, s->units.data[j].key);
      if (*at || !is_current(s, &s->units.data[j]))
        continue;
      vec_push(&out->list, ((struct said_at){i, j}));
      *at = (uint32_t)out->list.length;
    }
  }
}

/* That it was given away in part, and what became of it.  False: that does not fit. */
static bool take_from(const struct saved_search *s, size_t first, struct parts *p,
                      uint64_t number) {
  uint64_t key = s->units.data[first].key;
  bool fits = true, goes_on = true;
  for (size_t i = first; i < s->units.length && fits && goes_on; i++) {
    const struct saved_unit *u = &s->units.data[i];
    struct units_said said;
    struct str why = {0};
    if (u->key != key || !is_current(s, u))
      continue;
    fits = units_take(p, number, u->what, u->body, &said, &why) == UNITS_GOOD;
    goes_on = strcmp(u->what, "going") == 0;
    results_free(&said.failed);
    str_free(&why);
  }
  return fits;
}

/* False: nothing is said about any unit that is open; or (*fits) that does not fit. */
static bool take_next(const struct units_merge *m, const struct places *places, struct parts *p,
                      bool *fits) {
  for (size_t i = 0; i < p->list.length; i++) {
    const struct part *x = &p->list.data[i];
    uint32_t place = x->state == PART_OPEN && !x->only ? map_get(&places->by_key, x->key) : 0;
    if (!place)
      continue;
    CHECK(place <= places->list.length, "place %u of %zu", place, places->list.length);
    const struct said_at *at = &places->list.data[place - 1];
    *fits = take_from(&m->searches.data[at->search], at->unit, p, x->number);
    return *fits;
  }
  return false;
}

bool units_merge_join(struct units_merge *m, struct parts *p) {
  bool fits = true;
  struct places places = {0};
  parts_free(p);
  units_init(p);
  hear_facts(m, p);
  find_places(m, &places);
  while (take_next(m, &places, p, &fits))
    continue;
  map_free(&places.by_key);
  vec_free(&places.list);
  for (size_t i = 0; i < m->searches.length; i++)
    saved_search_free(&m->searches.data[i]);
  vec_free(&m->searches);
  return fits;
}
