/* A memory model over an encoded program: .cat expressions become relations of circuit literals,
 * rules become constraints.
 *
 * model_encode may be called with growing k; what is already there stays.  Rules that speak of k
 * itself hold only under that k's activation literal, which the caller assumes when solving. */
#ifndef AXIOM_MODEL_ENCODE_H
#define AXIOM_MODEL_ENCODE_H

#include "axiom/cat.h"
#include "axiom/encode.h"
#include "axiom/relation.h"
#include <setjmp.h>

enum value_kind {
  VALUE_EMPTY,
  VALUE_SET,
  VALUE_RELATION,
  VALUE_FUNCTION,
  VALUE_FAMILY,
  VALUE_EXECUTION,
  VALUE_INDEX
};

struct env;

struct cat_value {
  enum value_kind kind;
  const int *cells;
  const struct cat_binding *function; /* VALUE_FUNCTION; NULL = built in, by name */
  const char *builtin;
  struct env *env;
  struct execution *execution; /* VALUE_EXECUTION, or where a function was defined */
  struct cat_value *members;   /* VALUE_FAMILY */
  int low, count;
  int index; /* VALUE_INDEX */
  enum cat_domain domain;
};

struct env { /* one name; newest first */
  const char *name;
  bool evaluated;
  struct cat_value value;
  const struct cat_binding *binding; /* not evaluated yet */
  struct execution *execution;
  struct env *scope; /* where the binding is evaluated */
  struct env *next;
};

struct named_relation { /* declared by the model, for witnesses */
  const char *name;
  int serial, execution, index;
  bool is_set;
  const int *cells;
};

struct flag_literal { /* what a flag of the model says about the main execution */
  const char *name;
  int literal;
};

struct model_encoding {
  struct encoder *encoder;
  const struct model *model;
  struct space space;
  int k;
  LIST(struct execution *) executions; /* 0 = E */
  LIST(struct env *) scopes;           /* names of the execution block, by execution */
  struct env *globals;
  LIST(struct named_relation) declared;
  LIST(struct flag_literal) flags;
  uint64_t *asserted; /* open-addressing set of (literal, group) */
  int asserted_slots, asserted_count;
  int activation;     /* solver literal for the current k, 0 if not needed */
  bool in_k_specific; /* the rule at hand speaks of k itself */
  bool plain_rules;   /* it is encoded once, so it need not be one literal */
  struct diag *diag;
  jmp_buf fail;
};

struct model_encoding *model_encoding_create(struct encoder *e, const struct model *m,
                                             struct arena *a);

/* False and *d if the model does not make sense. */
bool model_encode(struct model_encoding *m, int k, struct diag *d);

/* The value of a global or execution-block name; false if there is none. */
bool model_lookup(struct model_encoding *m, int execution, const char *name, struct cat_value *v);

/* ---- between the files of the evaluator ---------------------------------------------------- */

struct cat_value cat_eval(struct model_encoding *m, const struct cat_node *n, struct env *env,
                          struct execution *x);
int cat_formula(struct model_encoding *m, const struct cat_node *n, struct env *env,
                struct execution *x);
bool cat_builtin(struct model_encoding *m, const char *name, struct execution *x,
                 struct cat_value *v);
struct cat_value cat_call_builtin(struct model_encoding *m, const struct cat_node *n,
                                  const char *name, struct cat_value *args, int count,
                                  struct execution *x);
const int *cat_set(struct model_encoding *m, const struct cat_node *n, struct cat_value v);
const int *cat_relation(struct model_encoding *m, const struct cat_node *n, struct cat_value v);
struct env *cat_bind(struct model_encoding *m, struct cat_binding *b, int count, bool recursive,
                     struct env *env, struct execution *x);
struct cat_value env_force(struct model_encoding *m, struct env *e);
struct env *env_bind(struct model_encoding *m, struct env *env, const char *name,
                     struct cat_value v);
int cat_index_value(struct model_encoding *m, const struct cat_node *n, struct cat_index i,
                    struct env *env);
_Noreturn void cat_fail(struct model_encoding *m, const struct cat_node *n, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The members of a quantifier's domain: their number, and the i-th one bound to the variable. */
int cat_domain_size(struct model_encoding *m, const struct cat_node *n, struct env *env, int *low);
struct env *cat_domain_bind(struct model_encoding *m, const struct cat_node *n, struct env *env,
                            int i);

#endif
