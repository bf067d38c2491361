#include "sat/sat.h"
#include "base/check.h"
#include <ccadical.h>
#include <stdlib.h>

struct sat {
  CCaDiCaL *solver;
  int variables;
  int64_t clauses;
};

/* What the C++ library calls when there is no memory: an exception would only end in abort(). */
typedef void (*handler)(void);
extern handler std_set_new_handler(handler h) __asm__("_ZSt15set_new_handlerPFvvE");
extern handler std_set_terminate(handler h) __asm__("_ZSt13set_terminatePFvvE");

static void exhausted(void) {
  check_exhausted();
}

struct sat *sat_create(void) {
  struct sat *s = calloc(1, sizeof *s);
  if (!s)
    check_exhausted();
  std_set_new_handler(exhausted);
  std_set_terminate(exhausted); /* CaDiCaL throws nothing else */
  s->solver = ccadical_init();
  CHECK(s->solver, "the SAT solver did not start");
  ccadical_set_option(s->solver, "quiet", 1);
  ccadical_set_option(s->solver, "profile", 0); /* it asks the system for the time at every turn */
  /* Litmus problems are small and solved many times: no preprocessing pays for itself. */
  static const char *const off[] = {"lucky",   "walk",      "elim",      "probe",
                                    "vivify",  "subsume",   "decompose", "transred",
                                    "rephase", "condition", "ternary",   "compact"};
  for (unsigned i = 0; i < sizeof off / sizeof *off; i++)
    ccadical_set_option(s->solver, off[i], 0);
  return s;
}

void sat_simplify(struct sat *s) {
  ccadical_set_option(s->solver, "elim", 1);
  ccadical_set_option(s->solver, "subsume", 1);
}

void sat_destroy(struct sat *s) {
  if (!s)
    return;
  ccadical_release(s->solver);
  free(s);
}

int sat_new_variable(struct sat *s) {
  return ++s->variables;
}

void sat_add(struct sat *s, int literal) {
  ccadical_add(s->solver, literal);
  if (!literal)
    s->clauses++;
}

void sat_add_clause(struct sat *s, const int *literals, int count) {
  for (int i = 0; i < count; i++)
    ccadical_add(s->solver, literals[i]);
  sat_add(s, 0);
}

void sat_assume(struct sat *s, int literal) {
  ccadical_assume(s->solver, literal);
}

enum sat_answer sat_solve(struct sat *s) {
  int r = ccadical_solve(s->solver);
  return r == 10 ? SAT_YES : r == 20 ? SAT_NO : SAT_UNKNOWN;
}

void sat_limit(struct sat *s, int conflicts) {
  ccadical_limit(s->solver, "conflicts", conflicts);
}

bool sat_value(struct sat *s, int literal) {
  return ccadical_val(s->solver, literal) > 0;
}

bool sat_failed(struct sat *s, int literal) {
  return ccadical_failed(s->solver, literal) != 0;
}

int sat_variables(const struct sat *s) {
  return s->variables;
}

int64_t sat_clauses(const struct sat *s) {
  return s->clauses;
}
