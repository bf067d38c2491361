/* Minimal sets of program lines, conjuncts of the condition and rules that cannot hold together.
 *
 * Every group hangs on a selector.  The solver's failed assumptions give a first core; then each
 * member is dropped in turn, and if the rest still has no solution, the new failed set replaces
 * the core.  What remains is minimal: without any one member there is a solution.
 *
 * With all of the program and the condition, but without a rule of the core, there is (often) an
 * execution: the one that the rule forbids.  The judge says how. */
#include "axiom/check_internal.h"
#include "axiom/judge.h"
#include "base/check.h"
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

static struct model_encoding *explain(const struct universe *u, const struct model *m, int k,
                                      struct arena *a, struct diag *d) {
  const struct symmetry *alike = symmetry_beside_condition(u->program, m, a);
  struct encoder *e = encoder_create(u, a, true, alike);
  struct model_encoding *enc = model_encoding_create(e, m, a);
  if (!model_encode(enc, k, d)) {
    encoder_destroy(e);
    return NULL;
  }
  add_condition(e, enc->executions.data[0]);
  if (alike) { /* constraints of threads that are alike come and go together, so this is no loss */
    int sorted = symmetry_sorted(e, enc->executions.data[0], alike);
    sat_add_clause(e->sat, &sorted, 1);
  }
  model_prepare_witness(enc);
  return enc;
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

const unsigned char *core_minimise(struct encoder *e, enum core_mode mode, struct arena *a,
                                   struct core *core) {
  unsigned char *in = arena_alloc(a, (size_t)e->groups.length + 1);
  memset(in, 1, (size_t)e->groups.length);
  if (solvable(e, in, -1))
    return NULL;
  keep_failed(e, in, -1);
  for (int g = 0; mode == CORE_MINIMAL && g < e->groups.length; g++)
    if (in[g] && !solvable(e, in, g))
      keep_failed(e, in, g);
  core->found = true;
  core->is_minimal = mode == CORE_MINIMAL;
  core->candidates = e->groups.length;
  for (int g = 0; g < e->groups.length; g++)
    if (in[g]) {
      const struct group *group = &e->groups.data[g];
      struct core_member member = {group->kind, group->place, group->name, group->text};
      list_push(a, &core->members, member);
    }
  return in;
}

/* ---- what the rules of a core forbid ------------------------------------------------------- */

/* Whether everything but the rules in `without` can be satisfied; if so, adds what was found. */
static bool refute(struct model_encoding *m, const unsigned char *without, struct arena *a,
                   struct check_result *r) {
  struct encoder *e = m->encoder;
  unsigned char *in = arena_alloc(a, (size_t)e->groups.length + 1);
  for (int g = 0; g < e->groups.length; g++)
    in[g] = !without[g];
  if (!solvable(e, in, -1))
    return false;
  struct arena scratch = {0};
  struct refutation found = {witness_extract(m, cnf_model(&e->cnf, &scratch), a), {{0}}};
  const char *wrong = judge_program(found.witness, &scratch);
  CHECK(!wrong, "%s: what the model forbids is no execution of the program: %s", e->program->name,
        wrong);
  judge_explain(m->model, found.witness, a, &found.broken);
  CHECK(found.broken.list.length, "%s: the model allows what was found to be forbidden",
        e->program->name);
  list_push(a, &r->refutations, found);
  arena_release(&scratch);
  return true;
}

static void find_refutations(struct model_encoding *m, const unsigned char *core, struct arena *a,
                             struct check_result *r) {
  const struct encoder *e = m->encoder;
  int n = e->groups.length;
  unsigned char *one = arena_alloc(a, (size_t)n + 1), *some = arena_alloc(a, (size_t)n + 1),
                *all = arena_alloc(a, (size_t)n + 1);
  for (int g = 0; g < n; g++) {
    bool rule = e->groups.data[g].kind == GROUP_MODEL;
    all[g] = rule;
    some[g] = rule && core[g];
    if (!some[g])
      continue;
    one[g] = 1;
    refute(m, one, a, r);
    one[g] = 0;
  }
  if (!r->refutations.length && memchr(some, 1, (size_t)n) && !refute(m, some, a, r))
    refute(m, all, a, r);
}

bool core_find(const struct universe *u, const struct model *m, int k, enum core_mode mode,
               struct arena *a, struct check_result *r, struct diag *d) {
  struct model_encoding *encoding = explain(u, m, k, a, d);
  if (!encoding)
    return false;
  const unsigned char *in = core_minimise(encoding->encoder, mode, a, &r->core);
  if (in)
    find_refutations(encoding, in, a, r);
  encoder_destroy(encoding->encoder);
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
  struct model_encoding *encoding = explain(u, m, k, a, d);
  CHECK(encoding, "a model that was encoded before");
  struct encoder *e = encoding->encoder;
  unsigned char *in = arena_alloc(a, (size_t)e->groups.length + 1);
  for (int g = 0; g < e->groups.length; g++)
    for (int i = 0; i < count; i++)
      if (same_member(&e->groups.data[g], &members[i]))
        in[g] = 1;
  bool yes = solvable(e, in, -1);
  encoder_destroy(e);
  return yes;
}
