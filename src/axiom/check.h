/* One test against one model: verdict, witness or core, final states. */
#ifndef AXIOM_CHECK_H
#define AXIOM_CHECK_H

#include "axiom/cat.h"
#include "axiom/cycle.h"
#include "axiom/encode.h"
#include "axiom/witness.h"

enum core_mode { CORE_NONE, CORE_FAST, CORE_MINIMAL };

struct check_options {
  bool count_executions; /* count executions, as herd does, instead of final states */
  bool distinct_actions; /* no sharing of actions between statements */
  bool verdict_only;     /* states are not enumerated */
  enum core_mode core;
};

struct final_state {
  int64_t *values; /* by observed item of the program */
  bool satisfies;  /* the condition's proposition */
  long executions; /* when counting them */
};

struct core_member {
  enum group_kind kind;
  struct place place;
  const char *name, *text;
};

struct core {
  bool found, is_minimal;
  LIST(struct core_member) members;
  int candidates; /* constraints they were chosen from */
};

/* An execution of the program that satisfies the condition, and the rules it breaks.  There is one
 * for each rule of a core that breaks no other rule, else one that breaks several. */
struct refutation {
  struct witness *witness;
  struct violations broken;
};

struct check_result {
  bool found;   /* some execution satisfies the proposition (forall: violates it) */
  bool allowed; /* the verdict: see DESIGN of the command's output in docs/litmus.md */
  bool vacuous; /* no execution obeys the model (and the filter): the verdict is about nothing */
  bool counted; /* states, positive and negative are complete; else the latter are 0 or 1 */
  LIST(struct final_state) states;
  long positive, negative;     /* states (or executions) with and without the proposition */
  struct witness *witness;     /* if found */
  LIST(const char *) flags;    /* of the model, raised by some execution */
  LIST(const char *) warnings; /* what the model ignores, and the like: sentences */
  struct core core;
  LIST(struct refutation) refutations; /* with a core that has rules of the model */
  /* The opinion of somebody who knows nothing of SAT on a forbidden outcome: so many candidates
   * would have it, and each breaks a rule; -1 = none, there are too many or there are locks. */
  long candidates_judged;
  int k, k_max; /* executions used, and the bound that was searched to */
  int variables;
  int64_t clauses;
};

/* False and *d if the model cannot be applied to the program. */
bool check_run(const struct program *p, const struct model *m, const struct check_options *o,
               struct arena *a, struct check_result *r, struct diag *d);

/* core.c: if the constraints of an encoder that explains cannot be satisfied together, fills *core and
 * says which groups are in it; else NULL. */
const unsigned char *core_minimise(struct encoder *e, enum core_mode mode, struct arena *a,
                                   struct core *core);

/* Fills r->core and r->refutations; false and *d on error. */
bool core_find(const struct universe *u, const struct model *m, int k, enum core_mode mode,
               struct arena *a, struct check_result *r, struct diag *d);

/* Whether the constraints in `members` alone can be satisfied together; for testing minimality. */
bool core_satisfiable(const struct program *p, const struct model *m, const struct check_options *o,
                      int k, const struct core_member *members, int count, struct arena *a,
                      struct diag *d);

#endif
