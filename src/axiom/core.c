/* Minimal sets of program lines, conjuncts of the condition and rules that cannot hold together.
 *
 * Every group hangs on a selector.  The solver's failed assumptions give a first core; then each
 * member is dropped in turn, and if the rest still has no solution, the new failed set replaces
 * the core.  What remains is minimal: without any one member there is a solution. */
#include "axiom/check.h"
#include "axiom/model_encode.h"
#include "base/check.h"
#include "sat/sat.h"
#include <string.h>

static void add_condition(struct encoder *e, struct execution *x) {
  const struct program *p = e->program;
  if (p->quantifier == QUANT_FORALL) {
    const char *text = arena_format(e->arena, "not (%s)", p->condition_text);
    int g = encoder_group(e, GROUP_CONDITION, p->parts.data[0].place, "condition", text);
    encoder_assert(e, -execution_truth(x, p->condition), g);
    return;
  }
  for (int i = 0; i < p->parts.length; i++) {
    const struct clause_part *part = &p->parts.data[i];
    int g = encoder_group(e, GROUP_CONDITION, part->place, "condition", part->text);
    encoder_assert(e, execution_truth(x, part->expr), g);
  }
}

static struct encoder *explain(const struct universe *u, const struct model *m, int k,
                               struct arena *a, struct diag *d) {
  struct encoder *e = encoder_create(u, a, true);
  struct model_encoding *enc = model_encoding_create(e, m, a);
  if (!model_encode(enc, k, d)) {
    encoder_destroy(e);
    return NULL;
  }
  add_condition(e, enc->executions.data[0]);
  return e;
}

static bool solvable(struct encoder *e, const unsigned char *in, int without) {
  for (int g = 0; g < e->groups.length; g++)
    if (in[g] && g != without)
      sat_assume(e->sat, e->groups.data[g].selector);
  enum sat_answer answer = sat_solve(e->sat);
  CHECK(answer != SAT_UNKNOWN, "the SAT solver gave up");
  return answer == SAT_YES;
}

static void keep_failed(struct encoder *e, unsigned char *in, int without) {
  for (int g = 0; g < e->groups.length; g++)
    in[g] = in[g] && g != without && sat_failed(e->sat, e->groups.data[g].selector);
}

bool core_find(const struct universe *u, const struct model *m, int k, enum core_mode mode,
               struct arena *a, struct check_result *r, struct diag *d) {
  struct encoder *e = explain(u, m, k, a, d);
  if (!e)
    return false;
  unsigned char *in = arena_alloc(a, (size_t)e->groups.length + 1);
  memset(in, 1, (size_t)e->groups.length);
  if (!solvable(e, in, -1)) {
    keep_failed(e, in, -1);
    for (int g = 0; mode == CORE_MINIMAL && g < e->groups.length; g++)
      if (in[g] && !solvable(e, in, g))
        keep_failed(e, in, g);
    r->has_core = true;
    r->core_is_minimal = mode == CORE_MINIMAL;
    r->core_candidates = e->groups.length;
    for (int g = 0; g < e->groups.length; g++)
      if (in[g]) {
        const struct group *group = &e->groups.data[g];
        struct core_member member = {group->kind, group->place, group->name, group->text};
        list_push(a, &r->core, member);
      }
  }
  encoder_destroy(e);
  return true;
}

static bool same_member(const struct group *g, const struct core_member *m) {
  return g->kind == m->kind && g->place.line == m->place.line &&
         g->place.column == m->place.column &&
         !strcmp(g->place.file ? g->place.file : "", m->place.file ? m->place.file : "") &&
         !strcmp(g->text, m->text);
}

bool core_satisfiable(const struct program *p, const struct model *m, const struct check_options *o,
                      int k, const struct core_member *members, int count, struct arena *a,
                      struct diag *d) {
  const struct domains *domains = domains_compute(p, a, d);
  CHECK(domains, "values of a program that was checked before");
  const struct universe *u =
      universe_create(p, domains, a, m->many_executions && !o->distinct_actions, m->uses_start_end);
  struct encoder *e = explain(u, m, k, a, d);
  CHECK(e, "a model that was encoded before");
  unsigned char *in = arena_alloc(a, (size_t)e->groups.length + 1);
  for (int g = 0; g < e->groups.length; g++)
    for (int i = 0; i < count; i++)
      if (same_member(&e->groups.data[g], &members[i]))
        in[g] = 1;
  bool yes = solvable(e, in, -1);
  encoder_destroy(e);
  return yes;
}
