#include "explore/futile.h"
#include "base/check.h"
#include <string.h>

/* Limits of memory: of all states, and of one (its stack).  Beyond them looks are explored like other loads. */
#define STATES_BYTES_MAX ((size_t)64 << 20)
#define STATE_BYTES_MAX ((size_t)80 << 10)

struct place {
  uint64_t site, address, code, size;
};

/* Padding-free: interned as bytes. */
struct look {
  uint64_t state, found[2];
};

uint32_t futile_state(struct futile *f, const struct operation *o, const void *registers,
                      size_t register_bytes, const void *stack, size_t stack_bytes) {
  static char all[STATE_BYTES_MAX]; /* scratch */
  struct place place = {(uintptr_t)o->site, o->address, o->code, o->size};
  size_t bytes = sizeof place + register_bytes + stack_bytes;
  if (bytes > sizeof all || f->states.bytes.length + bytes > STATES_BYTES_MAX)
    return 0;
  memcpy(all, &place, sizeof place);
  memcpy(all + sizeof place, registers, register_bytes);
  memcpy(all + sizeof place + register_bytes, stack, stack_bytes);
  return intern(&f->states, all, bytes);
}

static struct look look_of(const struct operation *o, const uint64_t found[2]) {
  return (struct look){o->state, {found[0], found[1]}};
}

void futile_learn(struct futile *f, const struct operation *o, struct futile_round round) {
  CHECK(o->state && round.looks, "a look that is not one of a loop");
  struct look l = look_of(o, o->before);
  if (intern(&f->looks, &l, sizeof l) > f->rounds.length)
    vec_push(&f->rounds, round);
}

const struct futile_round *futile_find(const struct futile *f, const struct operation *o,
                                       const uint64_t found[2]) {
  struct look l = look_of(o, found);
  uint32_t known = o->state ? intern_find(&f->looks, &l, sizeof l) : 0;
  const struct futile_round *round = known ? &f->rounds.data[known - 1] : NULL;
  return round && (round->looks == o->rounds[0] || round->looks == o->rounds[1]) ? round : NULL;
}

void futile_forget(struct futile *f) {
  intern_free(&f->states);
  intern_free(&f->looks);
  f->rounds.length = 0;
}
