/* Parts of a search: divided, searched, lost and searched again in any order, their results are those of
 * the whole. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/hash.h"
#include "base/rng.h"
#include "base/str.h"
#include "cli/parts.h"
#include "finding/prevention.h"
#include "finding/results_file.h"
#include "finding/results_merge.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The program under test: execution i follows failure point i.  What it shows is a function of i. */
#define EXECUTIONS 9000
#define KINDS 2

static uint64_t program;

static uint64_t fate(int i, uint64_t what) {
  return hash_u64(hash_u64(program, (uint64_t)i), what);
}

static char *texts(const char *format, uint64_t n) {
  struct str text = {0};
  str_format(&text, format, (unsigned long)n);
  char *copy = mem_strdup(str_text(&text));
  str_free(&text);
  return copy;
}

static void add_case(struct finding_prevention *p, int i) {
  struct finding_case c = {.before = p->executions, .effort = p->effort};
  uint64_t stores = 1 + fate(i, 3) % 3;
  for (uint64_t s = 0; s < stores; s++) {
    uint64_t rare = 1000 + (uint64_t)i; /* so that late cases matter */
    char *store = texts("store %lu", fate(i, 30) % 40 ? fate(i, 10 + s) % 7 : rare);
    bool known = false;
    for (size_t j = 0; j < c.remedies.length; j++)
      known |= strcmp(c.remedies.data[j], store) == 0;
    if (known)
      mem_free(store, strlen(store) + 1);
    else
      vec_push(&c.remedies, store);
  }
  c.hopeless = fate(i, 4) % (program % 2 ? 900 : 1000000) == 0;
  c.unsure = c.hopeless && fate(i, 5) % 2;
  if (fate(i, 6) % (program % 2 ? 500 : 1000000))
    c.text = texts("flush %lu", (uint64_t)i);
  if (!prevention_is_closed(p))
    prevention_add(p, &c);
  else
    finding_case_free(&c);
  p->executions++;
  if (!prevention_is_closed(p))
    p->effort += fate(i, 7) % (program % 4 == 2 ? 60000 : 100);
}

static struct finding *finding_of(struct results *r, uint64_t kind) {
  char *identity = texts("finding %lu", kind);
  for (size_t i = 0; i < r->findings.length; i++)
    if (strcmp(r->findings.data[i].identity, identity) == 0) {
      mem_free(identity, strlen(identity) + 1);
      return &r->findings.data[i];
    }
  struct finding f = {.identity = identity, .kind = FINDING_ASSERTION};
  vec_push(&r->findings, f);
  return &vec_last(&r->findings);
}

/* Details are those of the first with the fewest failures. */
static void show(struct results *r, int i) {
  struct finding *f = finding_of(r, fate(i, 2) % KINDS);
  size_t failures = 1 + fate(i, 8) % 2;
  add_case(&f->prevention, i);
  if (f->count++ && failures >= f->failures.length)
    return;
  struct finding old = *f;
  struct finding new = {.identity = old.identity, .kind = old.kind, .count = old.count};
  new.prevention = old.prevention;
  old.identity = NULL;
  old.prevention = (struct finding_prevention){0};
  finding_free(&old);
  new.message = texts("message of %lu", (uint64_t)i);
  new.token = texts("f%lu", (uint64_t)i);
  for (size_t j = 0; j < failures; j++)
    vec_push(&new.failures, ((struct finding_failure){.point = (uint32_t)i}));
  *f = new;
}

static struct results search(int from, int to) {
  struct results r = {.complete = true, .threads = 1, .eager_states = mem_strdup("0")};
  for (int i = from; i < to; i++) {
    struct results one = {.complete = true,
                          .eager_states = texts("%lu00000000000000000000", fate(i, 9) % 100)};
    r.executions++;
    r.failure_points++;
    if (fate(i, 0) % 3 == 0)
      show(&r, i);
    vec_push(&one.outcomes,
             ((struct outcome){.text = texts("outcome %lu", fate(i, 1) % 9), .count = 1}));
    if (fate(i, 20) % 50 == 0)
      vec_push(&one.notes, texts("note %lu", fate(i, 21) % 9));
    results_join(&r, &one);
  }
  return r;
}

static int compare_outcomes(const void *a, const void *b) {
  return strcmp(((const struct outcome *)a)->text, ((const struct outcome *)b)->text);
}

static int compare_findings(const void *a, const void *b) {
  return strcmp(((const struct finding *)a)->identity, ((const struct finding *)b)->identity);
}

static char *text_of(struct results *r) {
  struct str text = {0};
  results_settle(r);
  for (size_t i = 0; i < r->findings.length; i++) { /* of these only what was settled counts */
    struct finding_prevention *p = &r->findings.data[i].prevention;
    for (size_t j = 0; j < p->cases.length; j++)
      finding_case_free(&p->cases.data[j]);
    vec_free(&p->cases);
    *p = (struct finding_prevention){0};
  }
  if (r->outcomes.length)
    qsort(r->outcomes.data, r->outcomes.length, sizeof *r->outcomes.data, compare_outcomes);
  if (r->findings.length)
    qsort(r->findings.data, r->findings.length, sizeof *r->findings.data, compare_findings);
  results_write(r, &text);
  results_free(r);
  return text.data;
}

/* ---- workers ---- */

static struct rng rng;

static int point(const char *token) {
  return !token ? EXECUTIONS : *token ? (int)strtol(token + 1, NULL, 10) : 0;
}

static struct results through_text(struct results r) {
  struct str text = {0}, error = {0};
  struct results back = {0};
  results_write(&r, &text);
  assert_true(results_read(str_text(&text), &back, &error));
  results_free(&r);
  str_free(&text);
  return back;
}

static void step(struct parts *p, int worker) {
  const struct part *mine = parts_of(p, worker);
  if (!mine) {
    parts_take(p, worker);
    return;
  }
  int from = point(mine->from), to = point(mine->to);
  int at = from + (int)rng_below(&rng, (uint64_t)(to - from) + 1);
  char token[16];
  snprintf(token, sizeof token, "f%d", at);
  uint64_t what = rng_below(&rng, 8);
  struct results r = {0};
  if (what == 0) {
    parts_return(p, worker);
  } else if (what <= 3 && at > from && at < to) {
    assert_true(parts_split(p, worker, token));
  } else if (what <= 5 && at < to && at > from) {
    r = through_text(search(from, at));
    assert_true(parts_done(p, worker, token, what == 4, &r));
  } else {
    r = through_text(search(from, to));
    assert_true(parts_done(p, worker, NULL, false, &r));
  }
}

static void any_order(void **state) {
  (void)state;
  for (program = 1; program <= 12; program++) {
    struct results whole = search(0, EXECUTIONS), sum;
    char *expected = text_of(&whole);
    for (int round = 0; round < 3; round++) {
      struct parts p = {0};
      rng.state = program * 10 + (uint64_t)round;
      parts_init(&p, "", NULL);
      while (!parts_all_done(&p))
        step(&p, (int)rng_below(&rng, 4));
      parts_collect(&p, &sum);
      assert_true(sum.complete);
      assert_string_equal(text_of(&sum), expected);
    }
  }
}

static void add(struct finding *f, const char *stores, bool has_place) {
  struct finding_case c = {.before = f->prevention.executions};
  for (; *stores; stores++)
    vec_push(&c.remedies, texts("store %lu", (uint64_t)*stores));
  if (has_place)
    c.text = mem_strdup("flush it");
  c.window.flush = c.window.fence = has_place;
  prevention_add(&f->prevention, &c);
  f->prevention.executions++;
}

static void assert_advice(struct finding *f, const char *text, size_t windows) {
  prevention_settle(f);
  assert_string_equal(f->fix, text);
  assert_int_equal(f->windows.length, windows);
  finding_free(f);
  *f = (struct finding){0};
}

/* The first store of each case is made persistent, unless another of its stores is already. */
static void advice(void **state) {
  (void)state;
  struct finding f = {0};
  add(&f, "ba", true);
  add(&f, "a", true);
  assert_advice(&f, "flush it; and likewise at 1 other place", 2);
  add(&f, "a", true);
  add(&f, "ba", true);
  add(&f, "cab", true);
  assert_advice(&f, "flush it", 1);
  add(&f, "a", true);
  add(&f, "ba", false); /* prevented already, so that it does not matter */
  assert_advice(&f, "flush it", 1);
  add(&f, "a", true);
  add(&f, "b", false);
  prevention_settle(&f);
  assert_memory_equal(f.fix, "a flush or fence prevents some executions", 41);
  finding_free(&f);
  f = (struct finding){0};
  add(&f, "b", false);
  prevention_settle(&f);
  assert_memory_equal(f.fix, "no flush or fence prevents this", 31);
  finding_free(&f);
}

static void marks(void **state) {
  (void)state;
  struct parts p = {0};
  struct results r = {.complete = true, .executions = 3};
  parts_init(&p, "", NULL);
  assert_true(parts_mark(&p, "f2", "f4", &r));
  assert_false(parts_mark(&p, "f3", "f5", &r));
  assert_false(parts_mark(&p, "f2", "f4", &r));
  assert_true(parts_mark(&p, "f6", NULL, &r));
  assert_true(parts_mark(&p, "f4", "f6", &r));
  assert_false(parts_all_done(&p));
  assert_true(parts_mark(&p, "", "f2", &r));
  assert_true(parts_all_done(&p));
  assert_int_equal(p.list.length, 1);
  parts_free(&p);
}

static void shards_are_everything(void **state) {
  (void)state;
  struct parts all = {0};
  parts_init(&all, "", NULL);
  for (int shard = 1; shard <= 3; shard++) {
    struct parts p = {0};
    parts_init(&p, "", NULL);
    parts_keep(&p, "f2\nf3\nf7\nf9\n", shard, 3);
    for (const struct part *x; (x = parts_take(&p, 1));) {
      struct results r = {.complete = true}, again = {.complete = true};
      assert_true(parts_mark(&all, x->from, x->to, &again));
      assert_true(parts_done(&p, 1, NULL, false, &r));
    }
    assert_true(parts_all_done(&p));
    struct results r;
    parts_collect(&p, &r);
    assert_false(r.complete); /* there are other shards */
  }
  assert_true(parts_all_done(&all));
  parts_free(&all);
}

static struct results with_finding(const char *message, uint64_t count, size_t failures) {
  struct results r = {.complete = true};
  struct finding *f = finding_of(&r, 0);
  f->message = mem_strdup(message);
  f->count = count;
  f->prevention.executions = count ? count : 1;
  for (size_t i = 0; i < failures; i++)
    vec_push(&f->failures, ((struct finding_failure){.point = 1}));
  return r;
}

/* What a part only saw ahead of its search says nothing where another part came to it, first or last. */
static void seen_ahead(void **state) {
  (void)state;
  for (int last = 0; last < 2; last++) {
    struct results ahead = with_finding("seen ahead", 0, 1), found = with_finding("found", 2, 2);
    struct results *first = last ? &found : &ahead;
    results_join(first, last ? &ahead : &found);
    assert_int_equal(first->findings.length, 1);
    assert_string_equal(first->findings.data[0].message, "found");
    assert_int_equal(first->findings.data[0].count, 2);
    assert_int_equal(first->findings.data[0].prevention.executions, 2);
    results_free(first);
  }
}

static void said_by_parts(void **state) {
  (void)state;
  struct results a = {.complete = true, .foreign = mem_strdup("most"), .foreign_accesses = 9};
  struct results b = {.incomplete_why = mem_strdup("timeout"), .foreign = mem_strdup("few")};
  b.foreign_accesses = 2;
  vec_push(&a.notes, mem_strdup("note"));
  vec_push(&b.notes, mem_strdup("note"));
  results_join(&a, &b);
  assert_false(a.complete);
  assert_string_equal(a.incomplete_why, "timeout");
  assert_int_equal(a.notes.length, 1);
  assert_string_equal(a.foreign, "most");
  results_free(&a);
}

static void large_counts(void **state) {
  (void)state;
  struct results a = {.executions = FINDING_COUNT_MAX - 1}, b = {.executions = 1};
  results_join(&a, &b);
  assert_null(a.executions_text);
  assert_int_equal(a.executions, FINDING_COUNT_MAX);
  b = (struct results){.executions = 5};
  results_join(&a, &b);
  assert_string_equal(a.executions_text, "9007199254740997");
  b = (struct results){.executions = FINDING_COUNT_MAX,
                       .executions_text = mem_strdup("99999999999999999999")};
  results_join(&a, &b);
  assert_string_equal(a.executions_text, "100009007199254740996");
  results_free(&a);
}

/* What was put off comes after everything else, and what was put off more often after that. */
static void long_ones_come_last(void **state) {
  (void)state;
  struct parts p = {0};
  struct results none = {.complete = true};
  bool others;
  parts_init(&p, "", NULL);
  assert_string_equal(parts_take(&p, 1)->from, "");
  assert_true(parts_split(&p, 1, "f4"));
  assert_true(parts_done(&p, 1, "f3.r1", false, &none));
  parts_put_off(&p, "f3.r1");
  assert_int_equal(parts_count_put_off(&p, &others), 1);
  assert_true(others);
  assert_string_equal(parts_take(&p, 1)->from, "f4");
  assert_string_equal(parts_take(&p, 2)->from, "f3.r1");
  assert_true(parts_split(&p, 2, "f3.r2"));
  assert_int_equal(parts_count_put_off(&p, &others), 1);
  none = (struct results){.complete = true};
  assert_true(parts_done(&p, 1, "f5.r1", false, &none));
  parts_put_off(&p, "f5.r1");
  assert_int_equal(parts_count_put_off(&p, &others), 2);
  assert_false(others);
  parts_put_off(&p, "f3.r2");
  assert_string_equal(parts_take(&p, 1)->from, "f5.r1");
  assert_string_equal(parts_take(&p, 3)->from, "f3.r2");
  assert_null(parts_take(&p, 4));
  parts_free(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(long_ones_come_last),
      cmocka_unit_test(any_order),
      cmocka_unit_test(advice),
      cmocka_unit_test(marks),
      cmocka_unit_test(shards_are_everything),
      cmocka_unit_test(seen_ahead),
      cmocka_unit_test(said_by_parts),
      cmocka_unit_test(large_counts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
