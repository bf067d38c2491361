#include "cprog/c_check.h"
#include "axiom/enumerate.h"
#include "axiom/judge.h"
#include "axiom/model_encode.h"
#include "axiom/unmodelled.h"
#include "base/check.h"
#include "cprog/c_describe.h"
#include "sat/sat.h"
#include <string.h>

struct run {
  const struct c_program *c;
  const struct model *model;
  struct arena *arena;
  struct c_result *result;
  struct universe *universe;
  struct encoder *encoder;
  struct model_encoding *encoding;
};

const char *c_verdict_word(enum c_verdict v) {
  static const char *const words[] = {
#define X(name, word) word,
      C_VERDICTS(X)
#undef X
  };
  return words[v];
}

/* No verdict could be right about read-modify-writes, locks among them, whose halves the model does
 * not put together: false and *d if there are some. */
static bool all_atomic(const struct run *r, struct diag *d) {
  if (!unmodelled_atomicity(r->encoding))
    return true;
  for (int i = 0; i < r->c->program->stmts.length; i++) {
    const struct stmt *s = &r->c->program->stmts.data[i];
    if (s->kind != STMT_READ || s->partner < 0)
      continue;
    diag_set(d, s->place,
             "this read-modify-write would not be atomic: the model '%s' uses none of rmw, amo and "
             "lxsx",
             r->model->title && *r->model->title ? r->model->title : r->model->file);
    return false;
  }
  return true;
}

static bool encode(struct run *r, bool explain, struct diag *d) {
  r->encoder = encoder_create(r->universe, r->arena, explain, NULL);
  r->encoding = model_encoding_create(r->encoder, r->model, r->arena);
  return model_encode(r->encoding, 0, d) && all_atomic(r, d);
}

/* Somebody reads what the end of the memory wrote, or writes after it. */
static int uses_freed(struct run *r) {
  struct execution *x = r->encoding->executions.data[0];
  int n = r->universe->actions.length, all = LIT_FALSE;
  if (!r->c->has_frees)
    return LIT_FALSE;
  if (r->model->uses_co)
    execution_co(x);
  const struct action *actions = r->universe->actions.data;
  for (int f = 0; f < n; f++)
    for (int a = 0; a < n; a++) {
      if (!stmt_ends_before(r->c->program, actions[f].stmt, actions[a].stmt))
        continue;
      all = circuit_or2(r->encoder->circuit, all, x->rf[f * n + a]);
      if (x->co)
        all = circuit_or2(r->encoder->circuit, all, x->co[f * n + a]);
    }
  return all;
}

/* Something goes wrong: in the program, or the model flags the execution. */
static int wrong(struct run *r) {
  int all = execution_truth(r->encoding->executions.data[0], r->c->violated);
  all = circuit_or2(r->encoder->circuit, all, uses_freed(r));
  for (int i = 0; i < r->encoding->flags.length; i++)
    all = circuit_or2(r->encoder->circuit, all, r->encoding->flags.data[i].literal);
  return all;
}

static bool solve(struct run *r, int literal) {
  if (literal == LIT_FALSE)
    return false;
  sat_assume(r->encoder->sat, cnf_assumption(&r->encoder->cnf, literal));
  enum sat_answer answer = sat_solve(r->encoder->sat);
  CHECK(answer != SAT_UNKNOWN, "the SAT solver gave up");
  return answer == SAT_YES;
}

/* The names of the flags that a witness raises, by the judge's word. */
static const char *raised(const struct run *r, const struct witness *w, struct arena *scratch) {
  const char *names = "";
  for (int i = 0; i < r->encoding->flags.length; i++) {
    const struct flag *f = &r->encoding->flags.data[i];
    if (f->literal != LIT_FALSE && judge_raises(r->model, w, f->name, scratch))
      names = arena_format(r->arena, "%s%s%s", names, *names ? " " : "", f->name);
  }
  return names;
}

/* No witness leaves without having been checked by someone who knows nothing of SAT. */
static void second_opinion(struct run *r, const struct witness *w, struct arena *scratch) {
  const char *bad = judge_program(w, scratch);
  CHECK(!bad, "%s: the witness is no execution of the program: %s", r->c->program->file, bad);
  bad = judge_model(r->model, w, scratch);
  CHECK(!bad, "%s: the witness does not obey the model: %s", r->c->program->file, bad);
  CHECK(judge_evaluate(w, r->c->violated) || r->result->flags[0] || witness_use_after_free(w) >= 0,
        "%s: nothing goes wrong in the witness", r->c->program->file);
}

/* And nothing small is called verified unless every candidate that goes wrong breaks a rule. */
static void judge_candidates(struct run *r, long candidates_max) {
  bool verified = r->result->verdict == C_VERIFIED;
  if (r->c->thin_air || candidates_max <= 0)
    return;
  long count;
  enum refutation_opinion opinion =
      enumerate_words(r->universe, r->model, verified ? r->c->violated_or_bounded : r->c->violated,
                      candidates_max, &count);
  CHECK(opinion != NOT_REFUTED, "%s: nothing was found to go wrong, but a candidate does",
        r->c->program->file);
  if (opinion == REFUTED)
    r->result->candidates_judged = count;
}

static bool is_same_line(const struct stmt *a, const struct stmt *b) {
  return a->thread == b->thread && a->place.line == b->place.line &&
         (a->place.file == b->place.file || !strcmp(a->place.file, b->place.file));
}

/* A line that reads and writes is several accesses, and each turn of a loop has its own. */
static bool is_known_race(const struct run *r, const struct c_race *race) {
  const struct stmt *s = r->c->program->stmts.data;
  const struct stmt *one = &s[race->stmt[0]], *other = &s[race->stmt[1]];
  for (int i = 0; i < r->result->races.length; i++) {
    const struct c_race *known = &r->result->races.data[i];
    const struct stmt *first = &s[known->stmt[0]], *second = &s[known->stmt[1]];
    if (!strcmp(known->flag, race->flag) &&
        ((is_same_line(one, first) && is_same_line(other, second)) ||
         (is_same_line(one, second) && is_same_line(other, first))))
      return true;
  }
  return false;
}

/* The pairs of a flag's relation; both directions of one pair are one race. */
static void find_races(struct run *r, const struct flag *f, const unsigned char *model) {
  int n = r->universe->actions.length;
  for (int i = 0; f->pairs && i < n * n; i++) {
    int a = i / n, b = i % n;
    if (!model_value(model, f->pairs[i]) || (a > b && model_value(model, f->pairs[b * n + a])))
      continue;
    const struct action *actions = r->universe->actions.data;
    struct c_race race = {f->name, {actions[a].stmt, actions[b].stmt}};
    if (!is_known_race(r, &race))
      list_push(r->arena, &r->result->races, race);
  }
}

static void read_witness(struct run *r) {
  struct arena scratch = {0};
  struct c_result *result = r->result;
  const unsigned char *model = cnf_model(&r->encoder->cnf, &scratch);
  result->witness = witness_extract(r->encoding, model, r->arena);
  for (int i = 0; i < r->encoding->flags.length; i++)
    if (model_value(model, r->encoding->flags.data[i].literal))
      find_races(r, &r->encoding->flags.data[i], model);
  result->flags = raised(r, result->witness, &scratch);
  second_opinion(r, result->witness, &scratch);
  result->missed = c_describe_missed(r->c, result->witness);
  result->violation = c_describe_use_after_free(r->c, result->witness, r->arena);
  for (int i = 0; i < r->c->violation_count && !result->violation; i++)
    if (judge_evaluate(result->witness, r->c->violations[i].guard))
      result->violation = c_describe_violation(r->c, result->witness, i, r->arena);
  arena_release(&scratch);
}

static const struct c_bound *find_bound(struct run *r) {
  struct arena scratch = {0};
  const unsigned char *model = cnf_model(&r->encoder->cnf, &scratch);
  const struct c_bound *found = NULL;
  for (int i = 0; i < r->c->bound_count && !found; i++)
    if (model_value(model, execution_truth(r->encoding->executions.data[0], r->c->bounds[i].guard)))
      found = &r->c->bounds[i];
  arena_release(&scratch);
  return found;
}

/* ---- waiting for ever ------------------------------------------------------------------------- */

/* By action: it is a write of what was there already, such as a try to take a lock in vain. */
static int *find_echoes(struct run *r) {
  int n = r->universe->actions.length;
  int *echo = arena_alloc(r->arena, (size_t)(n + 1) * sizeof *echo);
  for (int a = 0; a < n; a++) {
    int s = r->universe->actions.data[a].stmt;
    int same = s >= 0 ? r->c->program->stmts.data[s].echo - 1 : -1;
    echo[a] = same >= 0 ? execution_truth(r->encoding->executions.data[0], same) : LIT_FALSE;
  }
  return echo;
}

/* A read sees the last write of its location, but for echoes: it would see nothing else if it looked
 * again. */
static int sees_last(struct run *r, const int *echo, int stmt) {
  struct execution *x = r->encoding->executions.data[0];
  struct circuit *c = r->encoder->circuit;
  int n = r->universe->actions.length, all = LIT_FALSE;
  int a = r->universe->performers.data[r->universe->first[stmt]].action;
  int *last = arena_alloc(r->arena, (size_t)(n + 1) * sizeof *last);
  for (int w = 0; w < n; w++) {
    int k = 0;
    if (x->rf[w * n + a] == LIT_FALSE)
      continue;
    last[k++] = x->rf[w * n + a];
    for (int v = 0; v < n; v++)
      if (x->co[w * n + v] != LIT_FALSE)
        last[k++] = circuit_or2(c, -x->co[w * n + v], echo[v]);
    all = circuit_or2(c, all, circuit_and(c, last, k));
  }
  return circuit_or2(c, -x->executed[a], all);
}

static int waits(struct run *r, const int *echo, const struct c_wait *w) {
  struct execution *x = r->encoding->executions.data[0];
  int all = execution_truth(x, w->guard);
  for (int i = 0; i < w->reads.length; i++) {
    int stmt = (int)r->c->program->exprs.data[w->reads.data[i]].value;
    all = circuit_and2(r->encoder->circuit, all, sees_last(r, echo, stmt));
  }
  return all;
}

/* Every thread has ended or waits, somebody waits, and nothing that they look at will change. */
static int hangs(struct run *r, int *literals) {
  struct execution *x = r->encoding->executions.data[0];
  struct circuit *c = r->encoder->circuit;
  int all = LIT_TRUE, some = LIT_FALSE;
  execution_co(x);
  const int *echo = find_echoes(r);
  for (int t = 1; r->c->ends && t < r->c->program->threads.length; t++) {
    int ended = execution_truth(x, r->c->ends[t]);
    for (int i = 0; i < r->c->wait_count; i++)
      if (r->c->waits[i].thread == t) {
        literals[i] = waits(r, echo, &r->c->waits[i]);
        some = circuit_or2(c, some, literals[i]);
        ended = circuit_or2(c, ended, literals[i]);
      }
    all = circuit_and2(c, all, ended);
  }
  return circuit_and2(c, all, some);
}

static void find_hang(struct run *r) {
  int *literals = arena_alloc(r->arena, (size_t)(r->c->wait_count + 1) * sizeof *literals);
  if (!r->model->uses_co || !solve(r, hangs(r, literals)))
    return;
  struct arena scratch = {0};
  const unsigned char *model = cnf_model(&r->encoder->cnf, &scratch);
  for (int i = 0; i < r->c->wait_count && !r->result->hang; i++)
    if (model_value(model, literals[i]))
      r->result->hang = &r->c->waits[i];
  arena_release(&scratch);
}

/* A literal: some read sees what nobody has written. */
static int sees_unwritten(struct run *r) {
  struct execution *x = r->encoding->executions.data[0];
  const struct action *actions = r->universe->actions.data;
  int n = r->universe->actions.length, some = LIT_FALSE;
  for (int i = 0; i < n * n; i++)
    if (x->rf[i] != LIT_FALSE && r->c->program->stmts.data[actions[i / n].stmt].unwritten)
      some = circuit_or2(r->encoder->circuit, some, x->rf[i]);
  return some;
}

/* Contents of malloc are any value, so that nothing depends on it is known; still it looks wrong. */
static void find_uninitialised(struct run *r) {
  if (!solve(r, sees_unwritten(r)))
    return;
  struct arena scratch = {0};
  const struct action *actions = r->universe->actions.data;
  const struct execution *x = r->encoding->executions.data[0];
  const unsigned char *model = cnf_model(&r->encoder->cnf, &scratch);
  int n = r->universe->actions.length;
  for (int i = 0; i < n * n && r->result->uninitialised < 0; i++)
    if (r->c->program->stmts.data[actions[i / n].stmt].unwritten && model_value(model, x->rf[i]))
      r->result->uninitialised = actions[i % n].stmt;
  arena_release(&scratch);
}

/* ---- why nothing can go wrong ---------------------------------------------------------------- */

static bool find_core(struct run *r, enum core_mode mode, struct diag *d) {
  if (!encode(r, true, d))
    return false;
  struct encoder *e = r->encoder;
  int target = circuit_or2(e->circuit, wrong(r),
                           execution_truth(r->encoding->executions.data[0], r->c->bounded));
  if (r->c->fixes_unwritten)
    target = circuit_or2(e->circuit, target, sees_unwritten(r));
  encoder_assert(e, target, -1);
  core_minimise(e, mode, r->arena, &r->result->core);
  encoder_destroy(e);
  return true;
}

/* ---- the whole check ------------------------------------------------------------------------- */

static void decide(struct run *r) {
  struct c_result *result = r->result;
  struct execution *x = r->encoding->executions.data[0];
  int bounded = execution_truth(x, r->c->bounded);
  int completed = execution_truth(x, r->c->completed);
  for (int i = 0; i < r->c->bound_count; i++)
    execution_truth(x, r->c->bounds[i].guard);
  if (solve(r, wrong(r))) {
    result->verdict = C_VIOLATED;
    read_witness(r);
  } else if (solve(r, bounded)) {
    result->verdict = C_BOUNDED;
    result->bound = find_bound(r);
    find_hang(r);
  } else {
    result->verdict = C_VERIFIED;
    result->completes = solve(r, completed);
    find_hang(r);
  }
}

static void note_size(const struct run *r) {
  r->result->variables = sat_variables(r->encoder->sat);
  r->result->clauses = sat_clauses(r->encoder->sat);
}

static struct run begin(const struct c_program *c, const struct model *m, struct arena *a,
                        struct c_result *result) {
  memset(result, 0, sizeof *result);
  result->program = c;
  result->flags = "";
  result->candidates_judged = result->uninitialised = -1;
  return (struct run){.c = c,
                      .model = m,
                      .arena = a,
                      .result = result,
                      .universe =
                          universe_create(c->program, c->domains, a, false, m->uses_start_end)};
}

bool c_check_run(const struct c_program *c, const struct model *m, enum core_mode core,
                 long candidates_max, struct arena *a, struct c_result *result, struct diag *d) {
  if (m->many_executions) {
    diag_set(d, (struct place){c->program->file, 0, 0},
             "the model '%s' justifies executions by others, which C programs cannot have",
             m->title);
    return false;
  }
  struct run r = begin(c, m, a, result);
  bool ok = encode(&r, false, d);
  if (ok)
    decide(&r);
  if (ok)
    note_size(&r);
  /* a warning, which nobody wants to see when orders are tried out, or a reason to do it again */
  bool asks = result->verdict == C_VERIFIED && candidates_max > 0;
  if (ok && result->verdict != C_VIOLATED && (asks || c->fixes_unwritten))
    find_uninitialised(&r);
  encoder_destroy(r.encoder);
  if (!ok || result->verdict == C_VIOLATED || (c->fixes_unwritten && result->uninitialised >= 0))
    return ok;
  judge_candidates(&r, candidates_max);
  return result->verdict != C_VERIFIED || core == CORE_NONE || find_core(&r, core, d);
}

/* Can something go wrong?  Nothing else is asked. */
static bool violates(const struct c_program *c, const struct model *m, struct arena *a,
                     struct c_result *result, struct diag *d) {
  struct run r = begin(c, m, a, result);
  bool ok = encode(&r, false, d);
  if (ok && solve(&r, wrong(&r))) {
    result->verdict = C_VIOLATED;
    read_witness(&r);
  } else if (ok) {
    result->verdict = C_VERIFIED;
    if (c->fixes_unwritten)
      find_uninitialised(&r);
  }
  note_size(&r);
  encoder_destroy(r.encoder);
  return ok;
}

/* A guess was wrong: *o without it. */
static bool again_with(struct c_options *o, const struct c_result *r) {
  if (r->verdict != C_VIOLATED && r->uninitialised >= 0 && o->fixes_unwritten) {
    o->fixes_unwritten = false;
    return true;
  }
  if (r->verdict == C_VIOLATED && r->missed && !o->everywhere) {
    o->everywhere = true;
    return true;
  }
  return false;
}

/* Turns of loops that change nothing were left out, and matter: everything with one of each.  False if
 * *o had to be changed: all of it has to be done again. */
static bool check_idle(const struct c_module *module, struct c_options *o, const struct model *m,
                       struct arena *a, struct c_program **c, struct c_result *r, struct diag *d) {
  struct c_options with = *o;
  struct c_result found;
  with.keeps_idle = true;
  struct c_program *again = c_program_build(module, &with, a, d);
  if (!again || !violates(again, m, a, &found, d)) {
    *c = NULL;
    return true;
  }
  if (again_with(o, &found))
    return false;
  if (found.verdict == C_VIOLATED) {
    *r = found;
    *c = again;
  }
  return true;
}

/* Where memory has values is a guess for addresses of which little is known.  An access anywhere else
 * is taken for a violation, so nothing is overlooked; but if it turns out to be inside of an object,
 * the guess was wrong, and everything is done again without one.  The same holds for what memory holds
 * that nobody has written: as long as nobody reads it, that may be one value. */
struct c_program *c_check_module(const struct c_module *module, struct c_options *o,
                                 const struct model *m, enum core_mode core, long candidates_max,
                                 struct arena *a, struct c_result *r, struct diag *d) {
  o->fixes_unwritten = !o->thin_air;
  for (;;) {
    struct c_program *c = c_program_build(module, o, a, d);
    if (!c || !c_check_run(c, m, core, candidates_max, a, r, d))
      return NULL;
    if (again_with(o, r))
      continue;
    if (r->verdict == C_VIOLATED || !c->has_loose || check_idle(module, o, m, a, &c, r, d))
      return c;
  }
}
