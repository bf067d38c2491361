/* The enumerator's opinion on verdicts: it finds a candidate that obeys the model exactly for the
 * outcomes that the solver allows, and says so where it has no opinion. */
#include "axiom/enumerate.h"
#include "axiom/litmus.h"
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
/* after the standard headers it needs */
#include <cmocka.h>

static int opinions[3];

static enum refutation_opinion opinion_on(const char *path, const struct model *m, bool *found) {
  struct arena a = {0};
  struct diag d = {0};
  struct check_options options = {.core = CORE_NONE};
  struct check_result r;
  struct program *p = test_load(path, &a, 1, &d);
  if (!p || !check_run(p, m, &options, &a, &r, &d))
    fail_msg("%s:%d:%d: %s", d.file, d.place.line, d.place.column, d.message);
  const struct domains *domains = domains_compute(p, &a, &d);
  long candidates;
  enum refutation_opinion o =
      enumerate_refutes(universe_create(p, domains, &a, false, false), m, 100000, &candidates);
  *found = r.found;
  arena_release(&a);
  opinions[o]++;
  return o;
}

static void folder(const char *directory, const char *model) {
  struct diag d = {0};
  struct model *m = model_load(model, "models", &d);
  assert_non_null(m);
  DIR *dir = opendir(directory);
  assert_non_null(dir);
  for (struct dirent *e; (e = readdir(dir));) {
    char path[512];
    bool found;
    snprintf(path, sizeof path, "%s/%s", directory, e->d_name);
    if (!strstr(e->d_name, ".litmus"))
      continue;
    enum refutation_opinion o = opinion_on(path, m, &found);
    if (o != NO_OPINION && (o == NOT_REFUTED) != found)
      fail_msg("%s under %s: two opinions", path, model);
  }
  closedir(dir);
  model_destroy(m);
}

static void x86(void **state) {
  (void)state;
  folder("tests/litmus/x86", "models/x86tso.cat");
  folder("tests/litmus/x86", "models/sc.cat");
  printf("%d refuted, %d not refuted, %d without an opinion\n", opinions[REFUTED],
         opinions[NOT_REFUTED], opinions[NO_OPINION]);
  assert_true(opinions[REFUTED] > 100 && opinions[NOT_REFUTED] > 20);
}

/* Relations that a model wants to be found are nothing an enumerator of candidates knows. */
static void no_opinion(void **state) {
  (void)state;
  static const char *const pairs[][2] = {{"models/px86.cat", "tests/litmus/px86/P5.litmus"},
                                         {"models/coherence.cat", "tests/litmus/x86/CoRR.litmus"},
                                         {"models/sc.cat", "tests/litmus/warnings/SB_sync.test"}};
  for (unsigned i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    struct diag d = {0};
    struct model *m = model_load(pairs[i][0], "models", &d);
    assert_non_null(m);
    bool found;
    assert_int_equal(opinion_on(pairs[i][1], m, &found), NO_OPINION);
    assert_false(found);
    model_destroy(m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(x86), cmocka_unit_test(no_opinion)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
