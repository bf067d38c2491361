/* Cores are minimal: their members cannot hold together, but without any one of them they can.  What
 * the rules of a core forbid is shown: ways lead from action to action, cycles back to the start.
 * Checked for every forbidden test that is shipped, under every model that its kind is made for. */
#include "axiom/check.h"
#include "axiom/litmus.h"
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* after the standard headers it needs */
#include <cmocka.h>

static int cores, members, ways;

static void check_core(const struct program *p, const struct model *m, const struct check_result *r,
                       const struct check_options *o, const char *path) {
  struct core_member *rest = calloc((size_t)r->core.members.length + 1, sizeof *rest);
  for (int without = -1; without < r->core.members.length; without++) {
    struct arena a = {0};
    struct diag d = {0};
    int n = 0;
    for (int i = 0; i < r->core.members.length; i++)
      if (i != without)
        rest[n++] = r->core.members.data[i];
    bool satisfiable = core_satisfiable(p, m, o, r->k, rest, n, &a, &d);
    if (satisfiable != (without >= 0))
      fail_msg("%s under %s: the core %s", path, m->file,
               without < 0
                   ? "can be satisfied"
                   : arena_format(&a, "does not need %s", r->core.members.data[without].text));
    arena_release(&a);
  }
  cores++;
  members += r->core.members.length;
  free(rest);
}

static void check_violation(const struct violation *v, const char *path) {
  bool has_ways = strstr(v->text, "acyclic") || strstr(v->text, "irreflexive");
  if (has_ways && !v->paths.length)
    fail_msg("%s: nothing to show against %s", path, v->name);
  for (int i = 0; i < v->paths.length; i++) {
    const struct cycle_path *p = &v->paths.data[i];
    assert_true(p->steps.length > 0);
    for (int s = 0; s < p->steps.length; s++) {
      assert_true(p->steps.data[s].label[0]);
      if (s)
        assert_int_equal(p->steps.data[s - 1].to, p->steps.data[s].from);
    }
    const struct cycle_path *first = &v->paths.data[0];
    int from = p->steps.data[0].from, to = p->steps.data[p->steps.length - 1].to;
    assert_int_equal(from, v->is_cycle ? to : first->steps.data[0].from);
    assert_int_equal(to, first->steps.data[first->steps.length - 1].to);
    ways++;
  }
}

/* Each rule of the core is broken by some execution that is shown, unless several are needed. */
static void check_refutations(const struct check_result *r, const char *path) {
  int rules = 0;
  for (int i = 0; i < r->core.members.length; i++)
    rules += r->core.members.data[i].kind == GROUP_MODEL;
  if (rules && !r->refutations.length)
    fail_msg("%s: nothing shows what the model forbids", path);
  for (int i = 0; i < r->refutations.length; i++) {
    const struct violations *broken = &r->refutations.data[i].broken;
    assert_true(broken->list.length > 0);
    for (int v = 0; v < broken->list.length; v++)
      check_violation(&broken->list.data[v], path);
  }
}

static void check_test(const char *path, const struct model *m) {
  struct arena a = {0};
  struct diag d = {0};
  struct check_options options = {.core = CORE_MINIMAL};
  struct check_result r;
  struct program *p = test_load(path, &a, 1, &d);
  if (!p || !check_run(p, m, &options, &a, &r, &d))
    fail_msg("%s:%d:%d: %s", d.file, d.place.line, d.place.column, d.message);
  if (!r.found) {
    assert_true(r.core.found && r.core.is_minimal);
    check_core(p, m, &r, &options, path);
    check_refutations(&r, path);
  }
  arena_release(&a);
}

static void folder(const char *directory, const char *model) {
  struct diag d = {0};
  struct model *m = model_load(model, "models", &d);
  assert_non_null(m);
  DIR *dir = opendir(directory);
  assert_non_null(dir);
  for (struct dirent *e; (e = readdir(dir));) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", directory, e->d_name);
    if (strstr(e->d_name, ".litmus") || strstr(e->d_name, ".test"))
      check_test(path, m);
  }
  closedir(dir);
  model_destroy(m);
}

static void nemos(void **state) {
  (void)state;
  static const char *const models[] = {"sc", "coherence", "pram", "causal", "pc", "pc-published"};
  for (unsigned i = 0; i < sizeof models / sizeof *models; i++) {
    char path[64];
    snprintf(path, sizeof path, "models/%s.cat", models[i]);
    folder("tests/litmus/nemos", path);
  }
}

static void java(void **state) {
  (void)state;
  folder("tests/litmus/causality", "models/jmm-original.cat");
  folder("tests/litmus/causality", "models/jmm-revised.cat");
  folder("tests/litmus/transform", "models/jmm-original.cat");
  folder("tests/litmus/transform", "models/jmm-revised.cat");
}

static void x86(void **state) {
  (void)state;
  folder("tests/litmus/x86", "models/x86tso.cat");
  folder("tests/litmus/px86", "models/px86.cat");
  printf("%d cores with %d members are minimal; %d ways through forbidden executions\n", cores,
         members, ways);
}

/* `axiom_core x86` leaves the other two folders out. */
int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(nemos), cmocka_unit_test(java),
                                     cmocka_unit_test(x86)};
  const struct CMUnitTest last[] = {cmocka_unit_test(x86)};
  return argc > 1 && !strcmp(argv[1], "x86") ? cmocka_run_group_tests(last, NULL, NULL)
                                             : cmocka_run_group_tests(tests, NULL, NULL);
}
