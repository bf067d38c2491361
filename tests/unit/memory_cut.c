/* Vector clocks and cuts against bitsets: random executions of a few threads, whose happens-before
 * is computed as the closure of its definition, and random facts about where they were cut off. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/rng.h"
#include "memory/cut.h"
#include <string.h>

#define STEPS_MAX 40
#define THREADS 3
#define WORDS 3
#define LOCKS 2

struct model {
  int steps;
  struct event events[STEPS_MAX];
  uint64_t before[STEPS_MAX]; /* steps that happen before, itself included */
};

static struct rng rng;

static uint32_t below(uint32_t n) {
  return (uint32_t)rng_below(&rng, n);
}

static uint64_t last_of_thread(const struct model *m, int thread, int end) {
  for (int i = end; i-- > 0;)
    if (m->events[i].thread == thread && m->events[i].kind != EVENT_STORE)
      return m->before[i];
    else if (m->events[i].thread == thread && !m->events[i].detail)
      return m->before[i];
  return 0;
}

/* What the step learns from others. */
static uint64_t learnt(const struct model *m, int step) {
  const struct event *e = &m->events[step];
  uint64_t known = 0;
  for (int i = step; i-- > 0;) {
    const struct event *x = &m->events[i];
    if (e->kind == EVENT_LOAD && x->kind == EVENT_STORE && x->address == e->address)
      return m->before[i];
    if (e->kind == EVENT_ACQUIRE && x->kind == EVENT_RELEASE && x->address == e->address)
      known |= m->before[i];
    if (e->kind == EVENT_ACQUIRE && x->kind == EVENT_RELEASE && x->address == e->address &&
        x->detail)
      return known;
  }
  return e->kind == EVENT_JOIN ? last_of_thread(m, (int)e->detail, step) : known;
}

/* Stores of thread 0 go through its buffer: ISSUE now, STORE a little later. */
static void generate(struct model *m) {
  static const uint8_t kinds[] = {EVENT_STORE,   EVENT_STORE,   EVENT_LOAD, EVENT_LOAD,
                                  EVENT_ACQUIRE, EVENT_RELEASE, EVENT_FLUSH};
  int buffered[STEPS_MAX], first = 0, last = 0;
  memset(m, 0, sizeof *m);
  for (int t = 1; t < THREADS; t++)
    m->events[m->steps++] = (struct event){.kind = EVENT_CREATE, .detail = (uint32_t)t};
  while (m->steps < STEPS_MAX) {
    struct event e = {.kind = kinds[below(sizeof kinds)], .thread = (uint16_t)below(THREADS)};
    if (first < last && below(3) == 0) {
      e = m->events[buffered[first++]];
      e.kind = EVENT_STORE;
    } else if (e.kind == EVENT_STORE || e.kind == EVENT_LOAD) {
      e.address = 0x1000 + 8 * below(WORDS);
      e.size = 8;
    } else if (e.kind != EVENT_FLUSH) {
      e.address = 0x2000 + 8 * below(LOCKS);
      e.detail = e.kind == EVENT_RELEASE && below(2);
    }
    if (e.kind == EVENT_STORE && !e.detail && e.thread == 0) {
      e.kind = EVENT_ISSUE;
      buffered[last++] = m->steps;
      e.detail = (uint32_t)last;
    }
    m->events[m->steps++] = e;
  }
  first = 0;
  for (int i = 0; i < m->steps; i++) {
    const struct event *e = &m->events[i];
    if (e->kind == EVENT_STORE && e->detail) {
      m->before[i] = m->before[buffered[first++]] | (uint64_t)1 << i;
      continue;
    }
    m->before[i] = (uint64_t)1 << i | last_of_thread(m, e->thread, i) | learnt(m, i);
    for (int c = 0; c < i; c++)
      if (m->events[c].kind == EVENT_CREATE && m->events[c].detail == e->thread)
        m->before[i] |= m->before[c];
  }
}

static void feed(struct clock *c, const struct model *m, int from, int to) {
  for (int i = from; i < to; i++)
    clock_step(c, &m->events[i], 0);
}

/* A store out of a buffer and its issue are one: either stands for both. */
static bool happens_before(const struct model *m, int a, int b) {
  return m->before[b] >> a & 1;
}

static void assert_order(const struct clock *c, const struct model *m) {
  for (int a = 0; a < m->steps; a++)
    for (int b = 0; b < m->steps; b++) {
      bool buffered = m->events[a].kind == EVENT_STORE && m->events[a].detail;
      if (a == b || buffered)
        continue; /* its time is that of its issue, which is compared */
      if (happens_before(m, a, b) != clock_ordered(c, (uint32_t)a, (uint32_t)b))
        fail_msg("steps %d (%s) and %d (%s): %d", a, event_kind_text(m->events[a].kind), b,
                 event_kind_text(m->events[b].kind), happens_before(m, a, b));
    }
}

static void clocks_are_happens_before(void **state) {
  (void)state;
  rng = (struct rng){1};
  for (int n = 0; n < 3000; n++) {
    struct model m;
    struct clock c = {0};
    generate(&m);
    feed(&c, &m, 0, m.steps);
    assert_order(&c, &m);
    clock_free(&c);
  }
}

static void clocks_go_back(void **state) {
  (void)state;
  rng = (struct rng){2};
  for (int n = 0; n < 1000; n++) {
    struct model m, other;
    struct clock c = {0};
    int common = (int)below(STEPS_MAX);
    generate(&m);
    feed(&c, &m, 0, common);
    struct clock_mark mark = clock_mark(&c);
    generate(&other);
    for (int i = common; i < other.steps; i++) /* anything else, but what was not issued */
      if (other.events[i].kind != EVENT_STORE || !other.events[i].detail)
        clock_step(&c, &other.events[i], 0);
    clock_undo(&c, mark);
    feed(&c, &m, common, m.steps);
    assert_order(&c, &m);
    clock_free(&c);
  }
}

/* ---- cuts ---- */

/* Is there a set of steps that is closed and has these facts?  Then the least closed one will do. */
static bool cut_exists(const struct model *m, uint64_t happened, uint64_t not ) {
  uint64_t closed = 0;
  for (int i = 0; i < m->steps; i++)
    if (happened >> i & 1)
      closed |= m->before[i];
  return !(closed & not );
}

/* One comparison says of the first steps what all of them say one by one. */
static void assert_first(const struct cuts *cuts, const struct clock *c, const struct model *m) {
  uint32_t first = cuts->whole_first;
  for (uint32_t i = 0; i < (uint32_t)m->steps && i < first; i++)
    assert_true(cut_requires(cuts, c, i));
  if (first < (uint32_t)m->steps)
    assert_true(!cut_requires(cuts, c, first) || cuts->trail.length == 0);
}

static void cuts_are_sets(void **state) {
  (void)state;
  rng = (struct rng){3};
  for (int n = 0; n < 3000; n++) {
    struct model m;
    struct clock c = {0};
    struct cuts cuts = {0};
    uint64_t happened = 0, not = 0;
    bool possible = true;
    generate(&m);
    feed(&c, &m, 0, m.steps);
    for (int facts = 0; facts < 6 && possible; facts++) {
      uint32_t step = below((uint32_t)m.steps);
      if (m.events[step].kind == EVENT_STORE && m.events[step].detail)
        continue;
      if (below(4) == 0) { /* a fact that is taken back */
        size_t mark = cut_mark(&cuts);
        cut_forbid(&cuts, &c, below((uint32_t)m.steps));
        cut_require(&cuts, &c, below((uint32_t)m.steps));
        cut_undo(&cuts, mark);
      }
      if (below(2)) {
        happened |= (uint64_t)1 << step;
        possible = cut_require(&cuts, &c, step);
        assert_true(cut_requires(&cuts, &c, step));
      } else {
        not |= (uint64_t)1 << step;
        possible = cut_forbid(&cuts, &c, step);
      }
      assert_int_equal(possible, cut_exists(&m, happened, not ));
      assert_first(&cuts, &c, &m);
    }
    cut_free(&cuts);
    clock_free(&c);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(clocks_are_happens_before),
      cmocka_unit_test(clocks_go_back),
      cmocka_unit_test(cuts_are_sets),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
