/* Private to judge*.c: values of the plain evaluator and what its files need. */
#ifndef AXIOM_JUDGE_INTERNAL_H
#define AXIOM_JUDGE_INTERNAL_H

#include "axiom/cycle.h"
#include "axiom/judge.h"
#include <setjmp.h>

typedef unsigned char bit;

enum judge_kind {
  EMPTY,
  SET,
  RELATION,
  FUNCTION,
  FAMILY,
  EXECUTION,
  INDEX,
  TUPLE,
  TAG_VALUE,
  VALUES, /* a set of values */
  ORDERS, /* the relations that order each of some sets: members are set, relation, set ... */
  PROCEDURE
};

struct judge_value {
  enum judge_kind kind;
  bool element;     /* a set or relation of one member that stands for the member */
  bool by_location; /* VALUES, ORDERS: the sets are the classes of loc */
  bit *bits;
  const struct cat_binding *function;
  const char *builtin;
  struct judge_scope *scope;
  int execution;
  struct judge_value *members;
  int low, count;
  enum cat_domain domain;
  const char *tag;
  const struct cat_item *procedure;
};

struct judge_scope {
  const char *name;
  struct judge_value value;
  struct judge_scope *next;
};

struct judge {
  const struct model *model;
  const struct witness *w;
  struct arena *arena;
  int n;
  struct judge_scope **blocks; /* by execution: names of the execution block */
  struct judge_scope **cache;  /* by execution: built-in names already computed */
  const char *wrong;
  bool broken;      /* it is a rule that is wrong */
  const char *flag; /* the one that is asked about, or NULL */
  bool any_flag;    /* any of them is */
  bool raised;
  struct violations
      *violations; /* rules that are broken are noted there; NULL: the first ends it */
  int depth;       /* of calls */
  long tried;      /* orders that were tried for `with` */
  jmp_buf stop;
};

_Noreturn void judge_stop(struct judge *j, const char *why);

struct judge_value judge_eval(struct judge *j, const struct cat_node *n, struct judge_scope *s,
                              int x);
bool judge_holds(struct judge *j, const struct cat_node *n, struct judge_scope *s, int x);
struct judge_scope *judge_bind(struct judge *j, struct judge_scope *s, const char *name,
                               struct judge_value v);
struct judge_scope *judge_bind_all(struct judge *j, const struct cat_binding *b, int count,
                                   bool recursive, struct judge_scope *s, int x);
struct judge_scope *judge_bind_arguments(struct judge *j, const struct cat_binding *b,
                                         struct judge_value *args, int count,
                                         struct judge_scope *s);
struct judge_scope *judge_bind_member(struct judge *j, const char *name, enum cat_domain d, int i,
                                      struct judge_scope *s);
int judge_domain_size(struct judge *j, enum cat_domain d, struct cat_index low,
                      struct cat_index high, struct judge_scope *s, int *first);
int judge_members(struct judge *j, struct judge_value v);
bool judge_subset(struct judge *j, struct judge_value a, struct judge_value b);

/* judge_values.c: tuples, sets of values, what `with` may choose */
struct judge_value judge_tuple(struct judge *j, int count);
struct judge_value judge_add(struct judge *j, struct judge_value a, struct judge_value b);
struct judge_value judge_join(struct judge *j, struct judge_value a, struct judge_value b);
bool judge_take(struct judge *j, struct judge_value set, struct judge_value *first,
                struct judge_value *rest);
struct judge_value judge_match(struct judge *j, const struct cat_node *n, struct judge_scope *s,
                               int x);
bool judge_generator(struct judge *j, const char *name, struct judge_value *args, int x,
                     struct judge_value *v);

/* judge_items.c */
struct judge_scope *judge_items(struct judge *j, const struct cat_item *list, int count,
                                struct judge_scope *s, int x, int execution);

/* judge_cycle.c */
void judge_note_violation(struct judge *j, const struct cat_item *item, struct judge_scope *s,
                          int x);

bit *judge_blank(struct judge *j, int count);
int judge_size(const struct judge *j, struct judge_value v);
bit *judge_as(struct judge *j, struct judge_value v, enum judge_kind kind);
bit *judge_compose(struct judge *j, const bit *a, const bit *b);
bit *judge_closure(struct judge *j, const bit *a);
bit *judge_inverse(struct judge *j, const bit *a);
struct judge_value judge_rel(bit *bits);
struct judge_value judge_set(bit *bits);

const struct action *judge_action(const struct judge *j, int a);
bool judge_executed(const struct judge *j, int x, int a);

/* A name that every execution has; false if there is no such name. */
bool judge_builtin(struct judge *j, const char *name, int x, struct judge_value *v);
const bit *judge_known(struct judge *j, const char *name, int x); /* one of the relations */

#endif
