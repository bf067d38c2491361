#include "explore/futile.h"
#include "base/hash.h"

static uint64_t key_of(const struct operation *o, const uint64_t found[2]) {
  return hash_u64(hash_u64(hash_u64(o->state, o->address), found[0]), found[1]) | 1;
}

void futile_learn(struct futile *f, const struct operation *o, struct futile_round round) {
  uint32_t *known = map_at(&f->looks, key_of(o, o->before));
  if (*known)
    return;
  vec_push(&f->rounds, round);
  *known = (uint32_t)f->rounds.length;
}

const struct futile_round *futile_find(const struct futile *f, const struct operation *o,
                                       const uint64_t found[2]) {
  uint32_t known = o->state ? map_get(&f->looks, key_of(o, found)) : 0;
  const struct futile_round *round = known ? &f->rounds.data[known - 1] : NULL;
  return round && (round->looks == o->rounds[0] || round->looks == o->rounds[1]) ? round : NULL;
}

void futile_forget(struct futile *f) {
  map_free(&f->looks);
  f->rounds.length = 0;
}
