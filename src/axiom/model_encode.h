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
  VALUE_INDEX,
  VALUE_TUPLE,
  VALUE_TAG,
  VALUE_VALUES, /* a set of values, each there under a condition */
  VALUE_ORDERS, /* the set of relations that order each of some sets; too many to list */
  VALUE_PROCEDURE
};

enum { CALL_DEPTH_MAX = 400 }; /* of functions and procedures of a model */

struct env;

struct cat_value {
  enum value_kind kind;
  bool element;     /* a set or relation of one member that stands for the member itself */
  bool by_location; /* VALUE_ORDERS, VALUE_VALUES: the sets are the classes of `loc` */
  const int *cells;
  const struct cat_binding *function; /* VALUE_FUNCTION; NULL = built in, by name */
  const char *builtin;
  struct env *env;
  struct execution *execution; /* VALUE_EXECUTION, or where a function was defined */
  struct cat_value *members;   /* family, tuple, values; orders: set, relation, set, relation ... */
  const int *guards;           /* VALUE_VALUES: when each member is in the set */
  const char *tag;
  const struct cat_item *procedure;
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

struct flag {
  const char *name;
  int literal;      /* raised in the main execution */
  const int *pairs; /* if it is about a relation that is not empty: that one; else NULL */
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
  LIST(struct flag) flags;
  uint64_t *asserted; /* open-addressing set of (literal, group) */
  int asserted_slots, asserted_count;
  int activation;              /* solver literal for the current k, 0 if not needed */
  bool in_k_specific;          /* the rule at hand speaks of k itself */
  bool plain_rules;            /* it is encoded once, so it need not be one literal */
  int condition;               /* rules hold only under this literal: inside forall ... do */
  const struct cat_item *call; /* the outermost call that we are inside of */
  int depth, steps;            /* of calls, bounded */
  struct diag *diag;
  jmp_buf fail;
};

struct model_encoding *model_encoding_create(struct encoder *e, const struct model *m,
                                             struct arena *a);

/* False and *d if the model does not make sense. */
bool model_encode(struct model_encoding *m, int k, struct diag *d);

/* The value of a global or execution-block name; false if there is none. */
bool model_lookup(struct model_encoding *m, int execution, const char *name, struct cat_value *v);

/* Whether a rule or definition uses this built-in name; after model_encode. */
bool model_mentions(const struct model_encoding *m, const char *name);

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
/* The relations whose union has the closure of an expression: closures in it are not needed. */
typedef LIST(const int *) cat_parts;
void cat_union_parts(struct model_encoding *m, const struct cat_node *n, struct env *env,
                     struct execution *x, cat_parts *parts);
const int *cat_set(struct model_encoding *m, const struct cat_node *n, struct cat_value v);
const int *cat_relation(struct model_encoding *m, const struct cat_node *n, struct cat_value v);
struct env *cat_bind(struct model_encoding *m, struct cat_binding *b, int count, bool recursive,
                     struct env *env, struct execution *x);
/* model_least.c: a definition of one relation that only grows; `name` is its name inside itself, and
 * gets the value.  False if it has to be unfolded. */
bool cat_least(struct model_encoding *m, struct cat_binding *b, struct env *name, struct env *outer,
               struct execution *x);
/* Round after round, from nothing, until it comes to rest. */
struct cat_value cat_unfold(struct model_encoding *m, struct cat_binding *b, struct env *name,
                            struct execution *x);
struct cat_value env_force(struct model_encoding *m, struct env *e);
struct env *env_bind(struct model_encoding *m, struct env *env, const char *name,
                     struct cat_value v);

/* The parameters of `b` bound to the arguments: f(x, y) and f t with a tuple t are the same. */
struct env *cat_bind_arguments(struct model_encoding *m, const struct cat_node *n, const char *name,
                               const struct cat_binding *b, struct cat_value *args, int count,
                               struct env *env);
int cat_index_value(struct model_encoding *m, const struct cat_node *n, struct cat_index i,
                    struct env *env);
_Noreturn void cat_fail(struct model_encoding *m, const struct cat_node *n, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* model_values.c: tuples, sets of values, and taking sets apart */
struct cat_value cat_values(struct model_encoding *m, int count);
struct cat_value cat_tuple(struct model_encoding *m, const struct cat_value *members, int count);
struct cat_value cat_add(struct model_encoding *m, const struct cat_node *n, struct cat_value a,
                         struct cat_value b);
struct cat_value cat_join(struct model_encoding *m, const struct cat_node *n, struct cat_value a,
                          struct cat_value b); /* union of sets of values */
struct cat_value cat_choose(struct model_encoding *m, const struct cat_node *n, int condition,
                            struct cat_value a, struct cat_value b);
bool cat_take(struct model_encoding *m, const struct cat_node *n, struct cat_value set,
              struct cat_value *first, struct cat_value *rest, int *present);
struct cat_value cat_match(struct model_encoding *m, const struct cat_node *n, struct env *env,
                           struct execution *x);
bool cat_call_generator(struct model_encoding *m, const struct cat_node *n, const char *name,
                        struct cat_value *args, int count, struct execution *x,
                        struct cat_value *v);

/* model_declare.c */
struct env *cat_declare(struct model_encoding *m, const struct cat_item *i, struct env *env,
                        struct execution *x, int execution);
struct env *cat_with(struct model_encoding *m, const struct cat_item *i, struct env *env,
                     struct execution *x, int execution);
int cat_declared_input(struct model_encoding *m, const struct cat_item *i, int execution, int index,
                       int pair);

/* The members of a quantifier's domain: their number, and the i-th one bound to the variable. */
int cat_domain_size(struct model_encoding *m, const struct cat_node *n, struct env *env, int *low);
struct env *cat_domain_bind(struct model_encoding *m, const struct cat_node *n, struct env *env,
                            int i);

#endif
