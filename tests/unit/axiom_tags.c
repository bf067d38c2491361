/* Tags on statements are sets by name for models, in both evaluators. */
#include "axiom/check.h"
#include "axiom/enumerate.h"
#include "axiom/litmus.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
/* after the standard headers it needs */
#include <cmocka.h>

/* Message passing; only the tags below order anything. */
static const char test[] = "X86_64 MP\n{}\n P0 | P1 ;\n"
                           " movq $1,(x) | movq (y),%rax ;\n"
                           " movq $1,(y) | movq (x),%rcx ;\n"
                           "exists (1:rax=1 /\\ 1:rcx=0)\n";

static const char weak[] = "let order = po;[L] | [Acquire];po | rfe | fre | coe\n"
                           "acyclic order as ordered\n"
                           "acyclic po-loc | rf | co | fr as coherent\n";

static void tag_statement(struct program *p, const char *text, enum tag tag) {
  int found = 0;
  for (int s = 0; s < p->stmts.length; s++)
    if (strstr(p->stmts.data[s].text, text)) {
      tags_add(&p->stmts.data[s].tags, tag);
      found++;
    }
  assert_int_equal(found, 1);
}

static bool allowed(bool release, bool acquire) {
  struct arena a = {0};
  struct diag d = {0};
  struct check_options options = {.core = CORE_NONE};
  struct check_result r;
  struct enumeration e;
  const struct final_state *missing;
  struct model *m = model_parse("weak.cat", weak, "models", &d);
  struct program *p = test_parse("MP", test, sizeof test - 1, &a, 1, &d);
  assert_non_null(m);
  assert_non_null(p);
  if (release)
    tag_statement(p, "$1,(y)", TAG_L);
  if (acquire)
    tag_statement(p, "(y),%rax", TAG_ACQUIRE);
  assert_true(check_run(p, m, &options, &a, &r, &d));
  assert_true(enumerate_run(p, m, 1000, &a, &e, &d));
  assert_true(
      states_equal(p, r.states.data, r.states.length, e.states.data, e.states.length, &missing));
  bool found = r.found;
  arena_release(&a);
  model_destroy(m);
  return found;
}

static void tags_order(void **state) {
  (void)state;
  assert_true(allowed(false, false));
  assert_true(allowed(true, false));
  assert_true(allowed(false, true));
  assert_false(allowed(true, true));
}

static void names(void **state) {
  (void)state;
  for (enum tag t = 0; t < TAG_COUNT; t++)
    assert_int_equal(tag_find(tag_name(t)), t);
  assert_int_equal(tag_find("Mb"), TAG_MB);
  assert_int_equal(tag_find("MBB"), TAG_COUNT);
  struct tags t = tags_of(TAG_COUNT - 1), u = t;
  assert_true(tags_has(&t, TAG_COUNT - 1) && !tags_has(&t, TAG_A));
  tags_add(&u, TAG_A);
  assert_true(tags_has(&u, TAG_A) && !tags_equal(&t, &u));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(tags_order), cmocka_unit_test(names)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
