/* The trie of observations against a list of paths. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/rng.h"
#include "explore/memo.h"
#include <string.h>

#define PATHS 200
#define LENGTH 5

struct known {
  uint64_t values[LENGTH];
  struct memo_node *end;
};

static struct memo_node *walk(struct memo_node *root, const uint64_t *values) {
  struct memo_node *n = root;
  for (int i = 0; i < LENGTH; i++) {
    n->kind = MEMO_LOAD;
    n = memo_follow(n, values[i]);
  }
  return n;
}

static void draw(struct rng *r, uint64_t *values) {
  for (int i = 0; i < LENGTH; i++)
    values[i] = rng_next(r) % 3;
}

static void equal_answers_lead_to_one_node(void **state) {
  (void)state;
  static struct known known[PATHS];
  struct rng r = {.state = 1};
  struct memo_node *root = memo_create();
  memo_path path = {0};
  for (int i = 0; i < PATHS; i++) {
    struct known *k = &known[i];
    draw(&r, k->values);
    k->end = walk(root, k->values);
    for (int j = 0; j < i; j++)
      assert_int_equal(k->end == known[j].end,
                       memcmp(k->values, known[j].values, sizeof k->values) == 0);
    memo_path_to(k->end, NULL, &path);
    assert_int_equal(path.length, LENGTH);
    assert_ptr_equal(path.data[0].node, root);
    for (int step = 0; step < LENGTH; step++) {
      assert_int_equal(path.data[step].value, k->values[step]);
      assert_ptr_equal(memo_follow(path.data[step].node, k->values[step]),
                       step + 1 < LENGTH ? path.data[step + 1].node : k->end);
    }
  }
}

static int told[PATHS];

static void gone(void *context, struct memo_node *n) {
  (void)context;
  if (n->kind == MEMO_END)
    told[n->result]++;
}

/* Each end once; an edge that joins another part of the trie is no second way to give it back. */
static void dropping_tells_each_end(void **state) {
  (void)state;
  struct rng r = {.state = 2};
  struct memo_node *root = memo_create(), *ends[PATHS];
  uint32_t count = 0;
  memset(told, 0, sizeof told);
  for (int i = 0; i < PATHS; i++) {
    uint64_t values[LENGTH];
    draw(&r, values);
    struct memo_node *end = walk(root, values);
    if (end->kind == MEMO_END)
      continue;
    end->kind = MEMO_END;
    end->result = count;
    ends[count++] = end;
  }
  memo_join(root, 7, ends[0]->parent);
  memo_join(ends[3]->parent, 8, ends[0]);
  assert_ptr_equal(memo_follow(root, 7), ends[0]->parent);
  memo_drop(root, gone, NULL);
  for (uint32_t i = 0; i < PATHS; i++)
    assert_int_equal(told[i], i < count);
}

static void cutting_forgets_one_edge(void **state) {
  (void)state;
  struct memo_node *root = memo_create();
  root->kind = MEMO_FACT;
  struct memo_node *to[3];
  for (uint64_t v = 0; v < 3; v++) {
    to[v] = memo_follow(root, v);
    to[v]->kind = MEMO_END;
  }
  memo_cut(root, 1);
  assert_ptr_equal(memo_follow(root, 0), to[0]);
  assert_ptr_equal(memo_follow(root, 2), to[2]);
  assert_int_equal(memo_follow(root, 1)->kind, MEMO_UNEXECUTED);
  memo_cut(root, 5); /* nothing there */
}

#define CHAIN 9

static struct memo_load chained(uint64_t i) {
  struct memo_load l;
  memset(&l, 0, sizeof l);
  l.address = 64 + 8 * i;
  l.size = 8;
  l.value = i * i;
  return l;
}

/* The loads and answers from the root to the end, whatever nodes they are in. */
static void check_loads(struct memo_node *root, struct memo_node *end) {
  memo_path path = {0};
  uint64_t seen = 0;
  memo_path_to(end, NULL, &path);
  assert_ptr_equal(path.data[0].node, root);
  for (size_t k = 0; k < path.length; k++) {
    const struct memo_node *n = path.data[k].node;
    if (n->kind == MEMO_LOAD) {
      assert_int_equal(n->load.address, chained(seen).address);
      assert_int_equal(path.data[k].value, chained(seen).value);
      seen++;
      continue;
    }
    assert_int_equal(n->kind, MEMO_CHAIN);
    for (uint32_t i = n->begin; i < n->end; i++, seen++)
      assert_int_equal(memo_chain_load(n->chain, i)->address, chained(seen).address);
  }
  assert_int_equal(seen, CHAIN);
  vec_free(&path);
}

/* In one part, or in several. */
static void set_chain(struct memo_chains *chains, struct memo_node *n,
                      const struct memo_load *loads, struct rng *r) {
  const struct memo_chain *parts[CHAIN];
  size_t count = 0;
  for (size_t i = 0, more; i < CHAIN; i += more) {
    more = 1 + rng_next(r) % (CHAIN - i);
    parts[count++] = memo_chain_of_loads(chains, loads + i, more);
  }
  n->kind = MEMO_CHAIN;
  n->chain = memo_chain_of_chains(chains, parts, count);
  n->end = CHAIN;
  assert_ptr_equal(n->chain, memo_chain_of_chains(chains, parts, count)); /* kept once */
  assert_int_equal(n->chain->length, CHAIN);
}

/* Whichever loads of a chain get nodes of their own, and in which order, the path stays the same. */
static void split_chains_read_the_same(void **state) {
  (void)state;
  struct rng r = {.state = 7};
  struct memo_load loads[CHAIN];
  struct memo_chains chains = {0};
  for (uint64_t i = 0; i < CHAIN; i++)
    loads[i] = chained(i);
  for (int n = 0; n < 300; n++) {
    struct memo_node *root = memo_create();
    set_chain(&chains, root, loads, &r);
    struct memo_node *end = memo_follow(root, 0);
    end->kind = MEMO_END;
    for (int splits = (int)(rng_next(&r) % 6); splits > 0; splits--) {
      uint64_t address = chained(rng_next(&r) % CHAIN).address;
      struct memo_node *at = root;
      while (at != end && !(at->kind == MEMO_CHAIN &&
                            memo_chain_load(at->chain, at->begin)->address <= address &&
                            memo_chain_load(at->chain, at->end - 1)->address >= address))
        at = at->edges->to;
      if (at == end)
        continue; /* it has a node already */
      uint32_t i = at->begin;
      while (memo_chain_load(at->chain, i)->address != address)
        i++;
      struct memo_node *own = memo_split(at, i);
      assert_int_equal(own->kind, MEMO_LOAD);
      assert_int_equal(own->load.address, address);
      assert_int_not_equal(memo_follow(own, own->load.value)->kind, MEMO_UNEXECUTED);
      assert_int_equal(memo_follow(own, 12345)->kind, MEMO_UNEXECUTED); /* another answer */
      memo_cut(own, 12345);
      check_loads(root, end);
    }
    memo_drop(root, NULL, NULL);
  }
  memo_free_chains(&chains);
}

/* A path begins at the newest node that the caller wants. */
static bool is_fact(const struct memo_node *n) {
  return n->kind == MEMO_FACT;
}

static void paths_begin_where_wanted(void **state) {
  (void)state;
  memo_path path = {0};
  struct memo_node *root = memo_create(), *n = root, *fact = NULL;
  for (int i = 0; i < 6; i++) {
    n->kind = i == 1 || i == 3 ? MEMO_FACT : MEMO_LOAD;
    fact = i == 3 ? n : fact;
    n = memo_follow(n, (uint64_t)i);
  }
  assert_ptr_equal(memo_path_to(n, is_fact, &path), fact);
  assert_int_equal(path.length, 3);
  assert_ptr_equal(path.data[0].node, fact);
  assert_int_equal(path.data[0].value, 3);
  assert_null(memo_path_to(root->edges->to, is_fact, &path));
  assert_int_equal(path.length, 1);
}

/* What follows a load is put aside: a state is taken there, or it comes back. */
static struct memo_node *load_with_answers(struct memo_node *root, struct memo_node **end) {
  root->kind = MEMO_LOAD;
  struct memo_node *n = memo_follow(root, 5);
  n->kind = MEMO_LOAD;
  n->load.address = 64;
  for (uint64_t value = 0; value < 3; value++)
    (*end = memo_follow(n, value))->kind = MEMO_END;
  return n;
}

static void loads_are_put_aside(void **state) {
  (void)state;
  size_t before = memo_count();
  memo_path path = {0};
  struct memo_node *end, *root = memo_create(), *n = load_with_answers(root, &end);
  struct memo_node *aside = memo_put_aside(n);
  assert_int_equal(n->kind, MEMO_UNEXECUTED);
  assert_null(n->edges);
  n->kind = MEMO_MERGE;
  struct memo_node *now = memo_follow(n, 0);
  memo_keep_aside(n, aside);
  assert_ptr_equal(memo_known(n, 0), now);
  assert_ptr_equal(memo_known(aside, 2), end);
  memo_path_to(end, NULL, &path);
  assert_int_equal(path.length, 3);
  memo_drop(root, NULL, NULL);
  assert_int_equal(memo_count(), before);
}

static void loads_come_back(void **state) {
  (void)state;
  size_t before = memo_count();
  struct memo_node *end, *root = memo_create(), *n = load_with_answers(root, &end);
  struct memo_node *other = memo_follow(root, 6), *aside = memo_put_aside(n);
  n->kind = MEMO_LOAD;
  n->load.address = 128;
  memo_follow(n, 0)->kind = MEMO_END;
  memo_join(n, 1, other);
  memo_take_back(n, aside, NULL, NULL);
  assert_int_equal(n->kind, MEMO_LOAD);
  assert_int_equal(n->load.address, 64);
  assert_ptr_equal(memo_known(n, 2), end);
  assert_ptr_equal(end->parent, n);
  assert_ptr_equal(memo_known(root, 6), other);
  memo_drop(root, NULL, NULL);
  assert_int_equal(memo_count(), before);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(equal_answers_lead_to_one_node),
      cmocka_unit_test(dropping_tells_each_end),
      cmocka_unit_test(cutting_forgets_one_edge),
      cmocka_unit_test(split_chains_read_the_same),
      cmocka_unit_test(paths_begin_where_wanted),
      cmocka_unit_test(loads_are_put_aside),
      cmocka_unit_test(loads_come_back),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
