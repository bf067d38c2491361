/* Lines with the same version (memory_version) answer alike: each load has the same answers, and so have the
 * loads after it, whichever is taken.  Random histories of one line, with few values so that many versions
 * come about in several ways. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/rng.h"
#include "memory/line.h"
#include <string.h>

#define DOMAINS 3
#define HISTORIES 20000
#define LOADS 2 /* one after the other */

static const struct { int offset, size; } loads[] = {{0, 8}, {4, 4}, {8, 8}};

static void put(struct str *out, uint64_t n) {
  str_append_bytes(out, &n, sizeof n);
}

/* All answers to all loads, as bytes. */
static void behave(struct memory *m, struct line *l, int depth, struct str *out) {
  for (size_t i = 0; i < sizeof loads / sizeof *loads; i++) {
    candidate_list all = {0};
    memory_candidates(m, l, loads[i].offset, loads[i].size, &all);
    put(out, all.length);
    for (size_t c = 0; c < all.length; c++) {
      size_t mark = memory_mark(m);
      put(out, all.data[c].value);
      memory_choose(m, l, &all.data[c]);
      if (depth > 1)
        behave(m, l, depth - 1, out);
      memory_undo(m, mark);
    }
    vec_free(&all);
  }
}

static void random_store(struct rng *r, struct memory *m, struct line *l) {
  struct store s = {.value = rng_below(r, 2), .offset = (uint8_t)(rng_below(r, 2) * 8), .size = 8};
  s.domain = (uint8_t)rng_below(r, DOMAINS);
  if (m->failed >> s.domain & 1)
    return;
  if (rng_below(r, 4) == 0) {
    s.offset = 4;
    s.size = 4;
  }
  memory_append(m, l, &s, false);
  if (s.size == 8 && rng_below(r, 6) == 0) {
    s.offset ^= 8;
    memory_append(m, l, &s, true);
  }
}

static void random_step(struct rng *r, struct memory *m, struct line *l) {
  int domain = (int)rng_below(r, DOMAINS);
  uint64_t kind = rng_below(r, 8);
  if (kind < 5) {
    random_store(r, m, l);
  } else if (kind == 5 && !(m->failed >> domain & 1)) {
    memory_raise(m, l, domain, l->latest[domain]);
  } else if (kind == 6) {
    m->failed |= 1u << domain;
  } else {
    candidate_list all = {0};
    memory_candidates(m, l, 0, 8, &all);
    memory_choose(m, l, &all.data[rng_below(r, all.length)]);
    vec_free(&all);
  }
}

struct seen {
  struct str behaviour;
  size_t stores; /* of the history that had it first */
};

static struct memory_versions versions;
static VEC(struct seen) seen;
static size_t met; /* by different histories */

static void check_version(struct memory *m, struct line *l) {
  struct str behaviour = {0};
  behave(m, l, LOADS, &behaviour);
  uint32_t version = memory_version(m, l, &versions);
  if (version > seen.length) {
    vec_push(&seen, ((struct seen){behaviour, l->stores.length}));
    return;
  }
  const struct seen *before = &seen.data[version - 1];
  assert_int_equal(before->behaviour.length, behaviour.length);
  assert_memory_equal(before->behaviour.data, behaviour.data, behaviour.length);
  met += before->stores != l->stores.length;
  str_free(&behaviour);
}

/* Also on the way there and back, with other domains failed in between: numbers are kept. */
static void same_version_same_answers(void **state) {
  (void)state;
  struct rng rng = {.state = 7};
  uint64_t stamps = 0;
  for (int i = 0; i < HISTORIES; i++) {
    struct memory m = {.stamps = stamps};
    struct line l;
    line_init(&l, 0);
    for (uint64_t steps = 1 + rng_below(&rng, 8); steps; steps--) {
      random_step(&rng, &m, &l);
      if (rng_below(&rng, 4) == 0)
        check_version(&m, &l);
    }
    check_version(&m, &l);
    uint32_t failed = m.failed;
    memory_undo(&m, rng_below(&rng, memory_mark(&m) + 1));
    m.failed = (uint32_t)rng_below(&rng, 1u << DOMAINS);
    check_version(&m, &l);
    m.failed = failed;
    check_version(&m, &l);
    memory_undo(&m, 0);
    stamps = m.stamps;
    vec_free(&m.trail);
    vec_free(&l.stores);
  }
  assert_true(met > HISTORIES / 100);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(same_version_same_answers)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
