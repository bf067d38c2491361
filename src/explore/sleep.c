#include "explore/sleep.h"
#include "base/check.h"

struct sleep_mark sleep_here(const struct sleep *s) {
  return (struct sleep_mark){s->begin, s->all.length};
}

void sleep_return(struct sleep *s, struct sleep_mark m) {
  CHECK(m.begin <= m.end && m.end <= s->all.length, "back to [%zu, %zu) of %zu", m.begin, m.end,
        s->all.length);
  s->begin = m.begin;
  s->all.length = m.end;
}

void sleep_clear(struct sleep *s) {
  s->begin = s->all.length;
}

void sleep_copy(struct sleep *to, const struct sleep *from) {
  to->begin = to->all.length = 0;
  CHECK(to != from && from->begin <= from->all.length, "a sleep set of [%zu, %zu)", from->begin,
        from->all.length);
  for (size_t i = from->begin; i < from->all.length; i++)
    vec_push(&to->all, from->all.data[i]);
}

static bool has(const struct sleep *s, struct sleep_mark m, const struct operation *o) {
  for (size_t i = m.begin; i < m.end; i++)
    if (operations_same(&s->all.data[i], o))
      return true;
  return false;
}

bool sleep_has(const struct sleep *s, const struct operation *o) {
  return has(s, sleep_here(s), o);
}

uint32_t sleep_first_awake(const struct sleep *s, const struct operation *options, uint32_t count,
                           uint32_t from) {
  while (from < count && sleep_has(s, &options[from]))
    from++;
  return from;
}

static bool commute(const struct sleep *s, const struct operation *a, const struct operation *b) {
  return s->apart ? operations_apart(a, b) : operations_independent(a, b);
}

void sleep_take_only(struct sleep *s, const struct operation *o) {
  struct sleep_mark before = sleep_here(s);
  for (size_t i = before.begin; i < before.end; i++) {
    struct operation asleep = s->all.data[i];
    if (commute(s, &asleep, o))
      vec_push(&s->all, asleep);
  }
  s->begin = before.end;
}

void sleep_take(struct sleep *s, const struct operation *options, uint32_t taken) {
  struct sleep_mark before = sleep_here(s);
  sleep_take_only(s, &options[taken]);
  for (uint32_t i = 0; i < taken; i++)
    if (!has(s, before, &options[i]) && commute(s, &options[i], &options[taken]))
      vec_push(&s->all, options[i]);
}
