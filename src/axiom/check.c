#include "base/check.h"
#include "axiom/check_internal.h"
#include "axiom/enumerate.h"
#include "axiom/judge.h"
#include "axiom/unmodelled.h"
#include <string.h>

/* Every step of a justification commits at least one access or external action of a thread. */
static int k_bound(const struct universe *u) {
  int k = 0;
  for (int a = 0; a < u->actions.length; a++) {
    enum stmt_kind kind = u->actions.data[a].kind;
    k += u->actions.data[a].thread > 0 &&
         (kind == STMT_READ || kind == STMT_WRITE || kind == STMT_EXTERNAL);
  }
  return k < 1 ? 1 : k;
}

struct execution *run_execution(const struct run *r) {
  return r->encoding->executions.data[0];
}

enum sat_answer run_solve(struct run *r, int assumption) {
  if (r->encoding->activation)
    sat_assume(r->encoder->sat, r->encoding->activation);
  if (assumption)
    sat_assume(r->encoder->sat, assumption);
  if (assumption && r->sorted)
    sat_assume(r->encoder->sat, r->sorted);
  enum sat_answer answer = sat_solve(r->encoder->sat);
  CHECK(answer != SAT_UNKNOWN, "the SAT solver gave up");
  return answer;
}

/* Everything that will be read from a solution must be in the circuit before it is solved. */
static void prepare_reading(struct run *r) {
  for (int i = 0; i < r->p->observed.length; i++)
    execution_expr(run_execution(r), r->p->observed.data[i].expr);
  model_prepare_witness(r->encoding);
  for (int i = 0; i < r->p->choices; i++)
    cnf_literal(&r->encoder->cnf, execution_choice(run_execution(r), i));
  const struct symmetry *y = r->orbits ? NULL : symmetry_beside_condition(r->p, r->model, r->arena);
  if (r->orbits)
    orbits_prepare(r);
  else if (y)
    r->sorted = symmetry_sorted(r->encoder, run_execution(r), y);
}

/* Whether the condition can be met.  With symmetry, all states are found first: refuting a state in
 * which threads are told apart would mean to go through all their arrangements. */
static bool find_target(struct run *r) {
  if (!r->orbits)
    return run_solve(r, cnf_literal(&r->encoder->cnf, r->target)) == SAT_YES;
  orbits_enumerate(r);
  if (!orbits_assume_target(r))
    return false;
  CHECK(run_solve(r, 0) == SAT_YES, "%s: a state that threads in another order have is not there",
        r->p->name);
  return true;
}

static bool search(struct run *r, struct diag *d) {
  int k_max = r->model->many_executions ? k_bound(r->universe) : 0;
  r->result->k_max = k_max;
  for (int k = k_max ? 1 : 0; k <= k_max; k++) {
    if (!model_encode(r->encoding, k, d))
      return false;
    if (!r->target) {
      int holds = execution_truth(run_execution(r), r->p->condition);
      r->target = r->p->quantifier == QUANT_FORALL ? -holds : holds;
    }
    prepare_reading(r);
    r->result->k = k;
    r->result->found = find_target(r);
    if (r->result->found)
      break;
  }
  return true;
}

/* ---- states ------------------------------------------------------------------------------- */

int64_t run_value(const struct run *r, int expr) {
  struct value_map m = execution_expr(run_execution(r), expr);
  for (int v = 0; v < m.count; v++)
    if (cnf_read(&r->encoder->cnf, m.literal[v]))
      return m.value[v];
  return 0;
}

static int literal_of_value(const struct run *r, int expr, int64_t value) {
  return value_map_at(execution_expr(run_execution(r), expr), value);
}

static struct final_state read_state(struct run *r) {
  struct final_state s = {.executions = 1};
  s.values = arena_alloc(r->arena, (size_t)r->p->observed.length * sizeof *s.values + 1);
  for (int i = 0; i < r->p->observed.length; i++)
    s.values[i] = run_value(r, r->p->observed.data[i].expr);
  int holds = r->p->quantifier == QUANT_FORALL ? -r->target : r->target;
  s.satisfies = cnf_read(&r->encoder->cnf, holds);
  return s;
}

/* The clause that excludes this state (or this execution); false if there is no other. */
static bool block(struct run *r, const struct final_state *s, struct arena *scratch) {
  int n = r->universe->actions.length;
  struct execution *x = run_execution(r);
  struct cnf *f = &r->encoder->cnf;
  LIST(int) nodes = {0};
  for (int i = 0; r->options->count_executions && i < r->p->choices; i++) {
    int choice = execution_choice(x, i);
    list_push(scratch, &nodes, cnf_read(f, choice) ? choice : -choice);
  }
  for (int i = 0; r->options->count_executions && i < n * n; i++) {
    if (x->rf[i] != LIT_FALSE && cnf_read(f, x->rf[i]))
      list_push(scratch, &nodes, x->rf[i]);
    if (x->co && x->co[i] != LIT_FALSE && x->co[i] != LIT_TRUE && cnf_read(f, x->co[i]))
      list_push(scratch, &nodes, x->co[i]);
  }
  for (int i = 0; !r->options->count_executions && i < r->p->observed.length; i++) {
    int l = literal_of_value(r, r->p->observed.data[i].expr, s->values[i]);
    if (l != LIT_TRUE)
      list_push(scratch, &nodes, l);
  }
  for (int i = 0; i < nodes.length; i++) /* after reading: this may add to the solver */
    nodes.data[i] = -cnf_literal(f, nodes.data[i]);
  sat_add_clause(r->encoder->sat, nodes.data, nodes.length);
  return nodes.length > 0;
}

static void add_state(struct run *r, const struct final_state *s) {
  size_t bytes = (size_t)r->p->observed.length * sizeof *s->values;
  for (int i = 0; r->options->count_executions && i < r->result->states.length; i++)
    if (!memcmp(r->result->states.data[i].values, s->values, bytes)) {
      r->result->states.data[i].executions++;
      return;
    }
  list_push(r->arena, &r->result->states, *s);
}

/* Without counting: is there a state of either kind? */
static void look_for_states(struct run *r) {
  int holds = r->p->quantifier == QUANT_FORALL ? -r->target : r->target;
  for (int sign = -1; sign <= 1; sign += 2) {
    bool known = sign * holds == r->target;
    int literal = known ? 0 : cnf_literal(&r->encoder->cnf, sign * holds);
    bool some = known ? r->result->found : run_solve(r, literal) == SAT_YES;
    *(sign > 0 ? &r->result->positive : &r->result->negative) = some;
  }
}

static void enumerate(struct run *r) {
  struct arena scratch = {0};
  for (bool more = true; more && run_solve(r, 0) == SAT_YES;) {
    cnf_read_begin(&r->encoder->cnf);
    struct final_state s = read_state(r);
    *(s.satisfies ? &r->result->positive : &r->result->negative) += 1;
    add_state(r, &s);
    more = block(r, &s, &scratch);
    arena_release(&scratch);
  }
}

/* ---- the whole check ---------------------------------------------------------------------- */

/* No witness leaves without having been checked by someone who knows nothing of SAT. */
static void judge_witness(const struct run *r, struct arena *scratch) {
  const struct witness *w = r->result->witness;
  const char *wrong = judge_program(w, scratch);
  CHECK(!wrong, "%s: the witness is no execution of the program: %s", r->p->name, wrong);
  wrong = judge_model(r->model, w, scratch);
  CHECK(!wrong, "%s: the witness does not obey the model: %s", r->p->name, wrong);
  CHECK((judge_evaluate(w, r->p->condition) != 0) == (r->p->quantifier != QUANT_FORALL),
        "%s: the witness does not answer the condition", r->p->name);
}

/* And nothing small is called forbidden unless all candidates that would have it break a rule. */
static void judge_candidates(struct run *r) {
  long count;
  enum refutation_opinion opinion =
      enumerate_refutes(r->universe, r->model, SECOND_OPINION_MAX, &count);
  CHECK(opinion != NOT_REFUTED, "%s: found to be forbidden, but a candidate obeys the model",
        r->p->name);
  r->result->candidates_judged = opinion == REFUTED ? count : -1;
}

/* Flags are about the program: an execution that has nothing to do with the condition may raise
 * one.  The judge confirms each. */
static void find_flags(struct run *r) {
  for (int i = 0; i < r->encoding->flags.length; i++) {
    const struct flag *f = &r->encoding->flags.data[i];
    if (f->literal == LIT_FALSE ||
        run_solve(r, cnf_literal(&r->encoder->cnf, f->literal)) != SAT_YES)
      continue;
    struct arena scratch = {0};
    const struct witness *w =
        witness_extract(r->encoding, cnf_model(&r->encoder->cnf, &scratch), &scratch);
    CHECK(judge_raises(r->model, w, f->name, &scratch),
          "%s: flag '%s' is not raised by its witness", r->p->name, f->name);
    arena_release(&scratch);
    list_push(r->arena, &r->result->flags, f->name);
  }
}

static void find_states(struct run *r) {
  struct check_result *result = r->result;
  if (r->options->verdict_only)
    look_for_states(r);
  else if (!r->orbits)
    enumerate(r);
  result->counted = !r->options->verdict_only;
  result->vacuous = !result->positive && !result->negative;
  if (result->vacuous)
    list_push(r->arena, &result->warnings,
              "no execution of the program obeys the model (and the filter, if there is one): the "
              "condition is about nothing");
}

/* How many reads and final values an expression is put together from. */
static int parts_of(const struct program *p, int e) {
  const struct expr *x = &p->exprs.data[e];
  if (x->kind == EXPR_READ || x->kind == EXPR_FINAL || x->kind == EXPR_NVM)
    return 1;
  int parts = 0;
  for (int i = 0; i < expr_arity(x->kind); i++)
    parts += parts_of(p, x->arg[i]);
  return parts;
}

/* In a core every access may have every value, and what is put together from the cells of an object
 * every combination of them. */
static bool core_too_large(struct run *r) {
  enum { VALUES_MAX = 20000, WEIGHT_MAX = 200 };
  int parts = 1;
  for (int e = 0; e < r->p->exprs.length; e++) {
    const struct expr *x = &r->p->exprs.data[e];
    int n = x->kind == EXPR_OR && x->weight <= WEIGHT_MAX ? parts_of(r->p, e) : 1;
    parts = n > parts ? n : parts;
  }
  double values = 1;
  for (int i = 0; i < parts; i++)
    values *= r->universe->domains->all.count;
  if (parts <= 2 || values <= VALUES_MAX)
    return false;
  list_push(
      r->arena, &r->result->warnings,
      arena_format(r->arena, "no core: a value of %d parts has too many possibilities", parts));
  return true;
}

static bool finish(struct run *r, struct diag *d) {
  struct check_result *result = r->result;
  result->variables = sat_variables(r->encoder->sat);
  result->clauses = sat_clauses(r->encoder->sat);
  if (result->found) {
    struct arena scratch = {0};
    result->witness = witness_extract(r->encoding, cnf_model(&r->encoder->cnf, &scratch), r->arena);
    judge_witness(r, &scratch);
    arena_release(&scratch);
  }
  if (!result->found)
    judge_candidates(r);
  result->allowed = result->found != (r->p->quantifier == QUANT_FORALL);
  if (result->k < result->k_max) { /* the witness may need fewer executions than other states */
    if (!model_encode(r->encoding, result->k_max, d))
      return false;
    prepare_reading(r);
  }
  find_flags(r);
  find_states(r);
  if (!result->found && r->options->core != CORE_NONE && !core_too_large(r))
    return core_find(r->universe, r->model, result->k, r->options->core, r->arena, result, d);
  return true;
}

bool check_run(const struct program *p, const struct model *m, const struct check_options *o,
               struct arena *a, struct check_result *result, struct diag *d) {
  struct run r = {.p = p, .model = m, .options = o, .arena = a, .result = result};
  memset(result, 0, sizeof *result);
  for (int e = 0; e < p->exprs.length; e++)
    if (p->exprs.data[e].kind == EXPR_FINAL && !m->uses_co) {
      diag_set(d, program_place_of(p, e),
               "the condition speaks of final memory, but the model '%s' says nothing about it (it "
               "does not use co)",
               m->title);
      return false;
    }
  const struct domains *domains = domains_compute(p, a, d);
  if (!domains)
    return false;
  r.universe =
      universe_create(p, domains, a, m->many_executions && !o->distinct_actions, m->uses_start_end);
  r.orbits = orbits_find(&r);
  r.encoder = encoder_create(r.universe, a, false, NULL);
  r.encoding = model_encoding_create(r.encoder, m, a);
  bool ok = search(&r, d) && unmodelled_find(r.encoding, result, d) && finish(&r, d);
  encoder_destroy(r.encoder);
  return ok;
}
