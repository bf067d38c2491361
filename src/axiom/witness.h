/* An execution (or several, for models that need them) in plain numbers: what a satisfiable check
 * gives back.  Made from a solver's model by witness_extract, printed by witness_text.c and
 * picture*.c, checked again from scratch by judge.c. */
#ifndef AXIOM_WITNESS_H
#define AXIOM_WITNESS_H

#include "axiom/universe.h"
#include "base/str.h"

struct model;
struct model_encoding;
struct violations;

struct witness_execution {
  int *stmt;             /* by action: the statement that performs it, -1 if not executed */
  int *location;         /* by action, -1 if it has none */
  int64_t *value;        /* by action: read or written */
  int *source;           /* by read action: the write it sees */
  unsigned char *choice; /* by EXPR_CHOICE of the program */
  unsigned char *co;     /* n * n, NULL if the model has no use for it */
};

struct witness_relation {
  const char *name;
  int serial;    /* of the declaration, -1 if derived (only shown) */
  int execution; /* -1 = not part of one */
  int index;     /* member of a family */
  bool is_set, is_family;
  unsigned char *bits;
};

struct witness {
  const struct universe *universe;
  int k; /* executions E[1]..E[k] besides E */
  struct witness_execution *executions;
  int64_t *inputs; /* by input of a bitwise program */
  LIST(struct witness_relation) relations;
};

/* Before solving: everything that a witness shows must be part of the circuit. */
void model_prepare_witness(struct model_encoding *m);

struct witness *witness_extract(struct model_encoding *m, const unsigned char *model,
                                struct arena *a);

void witness_print_text(const struct witness *w, struct str *out);

/* Pictures.  `broken` (or NULL): what an execution does that the model forbids, drawn strongly. */
void witness_print_dot(const struct witness *w, const char *title, const struct violations *broken,
                       struct str *out);
void witness_print_svg(const struct witness *w, const char *title, const struct violations *broken,
                       struct str *out);

/* The first access (by number) that sees memory after it was freed: a read of what the end of the
 * memory wrote, or a write after it in coherence order; -1 if there is none. */
int witness_use_after_free(const struct witness *w);

/* "write(x,1)" */
const char *witness_action_text(const struct witness *w, int execution, int action,
                                struct arena *a);

/* Removes what follows from transitivity, for display; r is n * n. */
void witness_reduce(unsigned char *r, int n);

#endif
