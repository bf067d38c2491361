/* A Boolean circuit with structural sharing, and its way into CNF.
 *
 * A literal is a node number, negative for its complement; node 1 is the constant true.  Nodes are
 * inputs or conjunctions; equal conjunctions are one node, so building the same thing twice is
 * free, and building it again in a later round (with inputs looked up by key) gives the same
 * clauses, which are emitted once.  Clauses go only in the direction a node is used in
 * (Plaisted-Greenbaum); values of a model are therefore read by evaluating nodes over the inputs. */
#ifndef AXIOM_CIRCUIT_H
#define AXIOM_CIRCUIT_H

#include "axiom/arena.h"
#include <stdbool.h>
#include <stdint.h>

struct sat;

enum { LIT_TRUE = 1, LIT_FALSE = -1 };

struct circuit;

struct circuit *circuit_create(struct arena *a);
int circuit_input(struct circuit *c);

/* The same key gives the same input; *fresh says whether it is new. */
int circuit_input_keyed(struct circuit *c, uint64_t key, bool *fresh);

/* An input that clauses push up but nothing pulls down: fine as long as nobody wants it to be true.
 * Where somebody does, `exact` gives what it stands for, and the input implies that.  `value` says
 * what that is in a model of the solver, of which everything older is known; index 0 is asked for
 * first. */
struct bounded {
  int (*exact)(void *context, int index);
  bool (*value)(void *context, int index, const unsigned char *model, struct arena *a);
  void *context;
};
int circuit_input_bounded(struct circuit *c, const struct bounded *b, int index);

int circuit_and(struct circuit *c, const int *literals, int count);
int circuit_or(struct circuit *c, const int *literals, int count);
int circuit_and2(struct circuit *c, int a, int b);
int circuit_or2(struct circuit *c, int a, int b);
int circuit_iff(struct circuit *c, int a, int b);
int circuit_nodes(const struct circuit *c);

/* How many of these nodes are inputs; values of the others, from those of inputs and older nodes. */
int circuit_inputs(const struct circuit *c, int first, int last);
void circuit_evaluate(const struct circuit *c, unsigned char *value, int first, int last);

/* ---- CNF ---------------------------------------------------------------------------------- */

struct cnf {
  struct circuit *circuit;
  struct sat *sat;
  struct arena *arena;
  int *variable;          /* by node, 0 = none yet */
  unsigned char *emitted; /* by node: 1 = node implies children, 2 = children imply node */
  unsigned char *read;    /* by node: 0 = not evaluated yet, else 1 + value */
  int capacity;
};

void cnf_init(struct cnf *f, struct circuit *c, struct sat *s, struct arena *a);

/* The solver's literal for a node, defined in both directions. */
int cnf_literal(struct cnf *f, int literal);

/* The same, defined only as far as it is used as true: for assumptions. */
int cnf_assumption(struct cnf *f, int literal);

/* A clause (or a literal) over circuit nodes, all constraints of `selector` (a solver literal; 0 =
 * always). */
void cnf_clause(struct cnf *f, const int *literals, int count, int selector);
void cnf_assert(struct cnf *f, int literal, int selector);

/* Pushes a bounded input up: true if both literals are. */
void cnf_push(struct cnf *f, int a, int b, int input);

/* Values of single nodes under the solver's model: only what is asked for is evaluated.
 * cnf_read_begin after each solve. */
void cnf_read_begin(struct cnf *f);
bool cnf_read(struct cnf *f, int literal);

/* Values of all nodes under the solver's model: result[node] is 0 or 1. */
const unsigned char *cnf_model(struct cnf *f, struct arena *a);
bool model_value(const unsigned char *model, int literal);

#endif
