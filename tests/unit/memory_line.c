/* Lines against their definition: the set of everything the last write-backs may have been.
 *
 * The model of a line is a list of stores and, as a set of bits, all combinations of positions at which
 * the domains may have written it back for the last time.  A combination says for each byte which store
 * is read.  Random histories of stores, flushes, failures, loads and undoing keep line and model
 * together, and each load is compared completely. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/rng.h"
#include "memory/line.h"
#include <string.h>

#define DOMAINS 3
#define POSITIONS 7 /* at most; write-backs are at 0 ... POSITIONS */
#define COMBINATIONS 512
#define STORES_MAX (POSITIONS * 2)
#define DEPTH 12 /* of undoing */
_Static_assert((POSITIONS + 1) * (POSITIONS + 1) * (POSITIONS + 1) == COMBINATIONS, "DOMAINS == 3");

struct model {
  struct store stores[STORES_MAX];
  int store_count;
  uint32_t positions, failed;
  bool possible[COMBINATIONS];
  const uint8_t *initial;
};

static const uint8_t zeros[LINE_BYTES], initial[LINE_BYTES] = {[0 ... 31] = 0xa5};

static uint32_t written_back(int combination, int domain) {
  for (; domain > 0; domain--)
    combination /= POSITIONS + 1;
  return (uint32_t)(combination % (POSITIONS + 1));
}

/* The number of the store that a byte is read from, -1: none. */
static int source(const struct model *m, int combination, int byte) {
  for (int n = m->store_count; n-- > 0;) {
    const struct store *s = &m->stores[n];
    bool lost = m->failed >> s->domain & 1 && s->position > written_back(combination, s->domain);
    if (!lost && byte >= s->offset && byte < s->offset + s->size)
      return n;
  }
  return -1;
}

static uint64_t value_read(const struct model *m, int combination, int offset, int size) {
  uint64_t value = 0;
  for (int i = 0; i < size; i++) {
    int n = source(m, combination, offset + i);
    const struct store *s = &m->stores[n < 0 ? 0 : n];
    uint64_t byte =
        n < 0 ? m->initial[offset + i] : s->value >> ((offset + i - s->offset) * 8) & 0xff;
    value |= byte << (i * 8);
  }
  return value;
}

static bool same_sources(const struct model *m, int a, int b, int offset, int size) {
  for (int i = 0; i < size; i++)
    if (source(m, a, offset + i) != source(m, b, offset + i))
      return false;
  return true;
}

/* ---- the line and the model do the same ---- */

struct pair {
  struct memory memory;
  struct line line;
  struct model model;
  struct {
    size_t mark;
    uint32_t failed;
    struct model model;
  } marks[DEPTH];
  int depth;
  struct rng rng;
};

static uint32_t draw(struct pair *p, uint32_t n) {
  return (uint32_t)(rng_next(&p->rng) % n);
}

static void agree(const struct pair *p) {
  const struct model *m = &p->model;
  assert_int_equal(p->line.positions, m->positions);
  assert_int_equal(p->line.stores.length, m->store_count);
  for (int d = 0; d < DOMAINS; d++) {
    uint32_t latest = 0, low = POSITIONS, high = 0;
    for (int n = 0; n < m->store_count; n++)
      if (m->stores[n].domain == d)
        latest = m->stores[n].position;
    assert_int_equal(p->line.latest[d], latest);
    for (int c = 0; c < COMBINATIONS; c++)
      if (m->possible[c]) {
        uint32_t w = written_back(c, d);
        low = w < low ? w : low;
        high = w > high ? w : high;
      }
    assert_int_equal(p->line.interval[d].low, low);
    assert_int_equal(p->line.interval[d].high < POSITIONS ? p->line.interval[d].high : POSITIONS,
                     high);
  }
}

static void append(struct pair *p, struct store s, bool joined) {
  struct model *m = &p->model;
  memory_append(&p->memory, &p->line, &s, joined);
  s.position = joined ? m->positions : ++m->positions;
  m->stores[m->store_count++] = s;
}

static int a_live_domain(struct pair *p) {
  int d = (int)draw(p, DOMAINS);
  return p->model.failed >> d & 1 ? -1 : d;
}

static void store(struct pair *p) {
  int domain = a_live_domain(p);
  if (domain < 0 || p->model.positions == POSITIONS)
    return;
  struct store s = {.event = (uint32_t)p->model.store_count + 100, .domain = (uint8_t)domain};
  s.value = rng_next(&p->rng);
  bool wide = draw(p, 6) == 0;
  s.size = (uint8_t)(wide ? 8 : 1 + draw(p, 8));
  s.offset = (uint8_t)(draw(p, 2) * 16 + (wide ? 0 : draw(p, 9u - s.size)));
  append(p, s, false);
  if (!wide)
    return;
  s.event++;
  s.offset += 8;
  s.value = rng_next(&p->rng);
  append(p, s, true);
}

static void flush(struct pair *p) {
  int domain = a_live_domain(p);
  if (domain < 0)
    return;
  uint32_t position = draw(p, p->model.positions + 1);
  memory_raise(&p->memory, &p->line, domain, position);
  for (int c = 0; c < COMBINATIONS; c++)
    p->model.possible[c] &= written_back(c, domain) >= position;
}

static void fail_domain(struct pair *p) {
  uint32_t bit = 1u << draw(p, DOMAINS);
  p->memory.failed |= bit;
  p->model.failed |= bit;
}

/* The combinations that a candidate stands for. */
static void restrict_to(const struct pair *p, const struct candidate *c, bool out[COMBINATIONS]) {
  memcpy(out, p->model.possible, COMBINATIONS * sizeof *out);
  for (int r = 0; r < c->refinement_count; r++)
    for (int n = 0; n < COMBINATIONS; n++) {
      uint32_t w = written_back(n, c->refinements[r].domain);
      out[n] &= w >= c->refinements[r].interval.low && w <= c->refinements[r].interval.high;
    }
}

/* Every candidate reads from the same stores wherever it holds, and no two from the same; together they
 * are everything that is possible. */
static void compare_candidates(const struct pair *p, const candidate_list *list, int offset,
                               int size) {
  int owner[COMBINATIONS];
  memset(owner, -1, sizeof owner);
  for (size_t i = 0; i < list->length; i++) {
    const struct candidate *c = &list->data[i];
    bool holds[COMBINATIONS];
    int first = -1;
    restrict_to(p, c, holds);
    for (int n = 0; n < COMBINATIONS; n++) {
      if (!holds[n])
        continue;
      first = first < 0 ? n : first;
      assert_int_equal(owner[n], -1);
      owner[n] = (int)i;
      assert_true(same_sources(&p->model, n, first, offset, size));
      assert_int_equal(value_read(&p->model, n, offset, size), c->value);
    }
    assert_true(first >= 0);
    int newest = -1;
    for (int b = 0; b < size; b++)
      newest = source(&p->model, first, offset + b) > newest ? source(&p->model, first, offset + b)
                                                             : newest;
    assert_int_equal(c->store, newest < 0 ? CANDIDATE_INITIAL : p->model.stores[newest].event);
    if (newest >= 0)
      assert_int_equal(c->domain, p->model.stores[newest].domain);
  }
  for (int n = 0; n < COMBINATIONS; n++) {
    assert_int_equal(owner[n] >= 0, p->model.possible[n]);
    for (int k = 0; k < n; k += 7) /* a sample is enough: all classes are large */
      if (owner[n] >= 0 && owner[k] >= 0 && owner[n] != owner[k])
        assert_false(same_sources(&p->model, n, k, offset, size));
  }
}

static void compare_newest_read(const struct pair *p, int offset, int size) {
  int any = 0;
  while (!p->model.possible[any])
    any++;
  for (int d = 0; d < DOMAINS; d++) {
    uint32_t newest = 0;
    for (int b = 0; b < size; b++) {
      int n = source(&p->model, any, offset + b);
      if (n >= 0 && p->model.stores[n].domain == d && p->model.stores[n].position > newest)
        newest = p->model.stores[n].position;
    }
    assert_int_equal(memory_newest_read(&p->memory, &p->line, d, offset, size), newest);
  }
}

/* What is there whatever was lost is what all answers have; nothing is said where several domains may have stored it. */
static void compare_held(const struct pair *p, const candidate_list *list, int offset, int size) {
  uint64_t value = list->data[0].value;
  bool same = true, held = memory_holds(&p->memory, &p->line, offset, size, value);
  for (size_t i = 1; i < list->length; i++)
    same &= list->data[i].value == value;
  assert_true(same || !held);
  assert_true(held || list->length > 1);
  assert_true(same || !memory_never_other(&p->line, offset, size, value));
  assert_false(memory_holds(&p->memory, &p->line, offset, size, value ^ 1));
  assert_false(memory_never_other(&p->line, offset, size, value ^ 1));
}

static void load(struct pair *p) {
  int size = 1 + (int)draw(p, 8), offset = (int)(draw(p, 5) * 8 + draw(p, 9u - (uint32_t)size));
  candidate_list list = {0};
  uint64_t value;
  memory_candidates(&p->memory, &p->line, offset, size, &list);
  compare_candidates(p, &list, offset, size);
  compare_held(p, &list, offset, size);
  bool certain = memory_certain(&p->memory, &p->line, offset, size, &value);
  assert_int_equal(certain, list.length == 1);
  if (certain) {
    assert_int_equal(value, list.data[0].value);
    compare_newest_read(p, offset, size);
  }
  const struct candidate *c = &list.data[draw(p, (uint32_t)list.length)];
  bool left[COMBINATIONS];
  restrict_to(p, c, left);
  memcpy(p->model.possible, left, sizeof left);
  memory_choose(&p->memory, &p->line, c);
  assert_true(memory_certain(&p->memory, &p->line, offset, size, &value));
  assert_int_equal(value, c->value);
  vec_free(&list);
}

static void mark(struct pair *p) {
  if (p->depth == DEPTH)
    return;
  p->marks[p->depth].mark = memory_mark(&p->memory);
  p->marks[p->depth].failed = p->memory.failed;
  p->marks[p->depth++].model = p->model;
}

static void undo(struct pair *p) {
  if (p->depth == 0)
    return;
  p->depth -= draw(p, 2) ? 1 : 1 + (int)draw(p, (uint32_t)p->depth);
  memory_undo(&p->memory, p->marks[p->depth].mark);
  p->memory.failed = p->marks[p->depth].failed;
  p->model = p->marks[p->depth].model;
}

static void histories(void **state) {
  (void)state;
  static void (*const actions[])(struct pair *) = {store,       store, store, store, flush, flush,
                                                   fail_domain, load,  load,  mark,  mark,  undo};
  for (uint64_t seed = 1; seed <= 3000; seed++) {
    static struct pair p;
    memset(&p, 0, sizeof p);
    p.rng.state = seed;
    line_init(&p.line, 0x1000);
    p.line.initial = seed % 2 ? initial : NULL;
    for (int c = 0; c < COMBINATIONS; c++)
      p.model.possible[c] = true;
    p.model.initial = seed % 2 ? initial : zeros;
    for (int i = 0; i < 30; i++) {
      actions[draw(&p, sizeof actions / sizeof *actions)](&p);
      agree(&p);
    }
    vec_free(&p.line.stores);
    vec_free(&p.memory.trail);
  }
}

/* ---- by hand ---- */

static void newest_first(void **state) {
  (void)state;
  struct memory m = {0};
  struct line l;
  candidate_list list = {0};
  line_init(&l, 0);
  for (uint32_t i = 1; i <= 3; i++)
    memory_append(&m, &l, &(struct store){.value = i, .size = 8, .event = i}, false);
  memory_raise(&m, &l, 0, 1);
  m.failed = 1;
  memory_candidates(&m, &l, 0, 8, &list);
  assert_int_equal(list.length, 3); /* not the initial zeros: the first store is written back */
  for (uint32_t i = 0; i < 3; i++)
    assert_int_equal(list.data[i].value, 3 - i);
}

static void halves_share_their_position(void **state) {
  (void)state;
  struct memory m = {0};
  struct line l;
  line_init(&l, 0);
  memory_append(&m, &l, &(struct store){.value = 1, .size = 8}, false);
  size_t before = memory_mark(&m);
  memory_append(&m, &l, &(struct store){.value = 2, .size = 8, .offset = 16}, false);
  memory_append(&m, &l, &(struct store){.value = 3, .size = 8, .offset = 24}, true);
  assert_int_equal(l.positions, 2);
  assert_int_equal(l.latest[0], 2);
  memory_undo(&m, before);
  assert_int_equal(l.positions, 1);
  assert_int_equal(l.latest[0], 1);
  memory_append(&m, &l, &(struct store){.value = 4, .size = 8}, false);
  assert_int_equal(vec_last(&l.stores).position, 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(histories),
      cmocka_unit_test(newest_first),
      cmocka_unit_test(halves_share_their_position),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
