/* Executions of a program as a Boolean circuit: who encodes constraints, and under which name.
 *
 * An encoder owns the circuit and the solver of one check.  Constraints belong to groups (a program
 * line, a dependency, a conjunct of the condition, a rule of the model); group -1 is the frame that
 * every candidate execution has: each executed read sees one executed write to its location, and so
 * on.  When `explain` is set, every group hangs on a selector, and what an instruction does is tied
 * to free variables by its group, so that a core can do without it.  Without its group
 *
 *   a write may write anything, a read may put anything into its register, a locked instruction, a
 *   volatile access, an acquire or a release may be an ordinary one, a fence, flush, lock or unlock
 *   may be missing, and what has a guard may happen or not; a dependency may be missing.
 *
 * "Anything" is any value that occurs in the program, unless combinations of them would be too many;
 * then it is any value that the instruction itself may have.  When `explain` is not set, constraints
 * are plain clauses and values are substituted: faster. */
#ifndef AXIOM_ENCODE_H
#define AXIOM_ENCODE_H

#include "axiom/circuit.h"
#include "axiom/universe.h"

/* name, title in reports */
#define GROUP_KINDS(X) \
  X(PROGRAM, "program") \
  X(FENCE, "fence") \
  X(ORDER, "order") \
  X(LOCK, "lock") X(DEPENDENCY, "dependency") X(CONDITION, "condition") X(MODEL, "model")

enum group_kind {
#define X(name, title) GROUP_##name,
  GROUP_KINDS(X)
#undef X
      GROUP_KIND_COUNT
};

struct group {
  enum group_kind kind;
  struct place place;
  const char *name, *text;
  int selector; /* solver literal, 0 if constraints are not selectable */
};

struct value_map { /* which value, under which condition; conditions exclude each other */
  const int64_t *value;
  const int *literal;
  int count;
};

struct encoder {
  struct arena *arena;
  const struct program *program;
  const struct domains *domains;
  const struct universe *universe;
  struct circuit *circuit;
  struct sat *sat;
  struct cnf cnf;
  bool explain, narrow; /* narrow: see "anything" above */
  LIST(struct group) groups;
  int *stmt_group;  /* by statement, when explaining */
  int *order_group; /* by order of the program, when explaining */
  const struct symmetry *alike;
  LIST(int) places; /* while execution_same_location looks for some */
};

struct execution {
  struct encoder *encoder;
  int index;               /* 0 = the main execution E */
  int *guard;              /* by statement */
  int *performs;           /* by performer (see universe.h): this statement performs that action */
  int *executed;           /* by action */
  int *at;                 /* [action * locations + location]: accesses it, if executed */
  struct value_map *value; /* by action: reads and writes */
  struct value_map *expr;  /* by expression, filled on demand (count -1 = not yet) */
  int *rf, *co;            /* n * n; co is NULL until execution_co */
  const int *persisted;    /* set by models that have one: literal by action */
  const int **word;        /* bitwise programs, instead of `value`: 64 literals by action */
  const int **words;       /* bitwise programs, instead of `expr`: by expression, on demand */
  int *truths; /* by expression: a literal, whether it is not 0; 0 = not asked for yet */
};

struct symmetry;

/* When explaining, threads that can change places (may be NULL) are explained together: what one of
 * them needs they all need. */
struct encoder *encoder_create(const struct universe *u, struct arena *a, bool explain,
                               const struct symmetry *alike);
void encoder_destroy(struct encoder *e);
const char *encoder_thread(const struct encoder *e, int thread); /* its name, and of those alike */

/* When explaining: the values that a read or write may have without its group. */
struct values encoder_values(const struct encoder *e, int stmt);

int encoder_group(struct encoder *e, enum group_kind kind, struct place place, const char *name,
                  const char *text);
void encoder_assert(struct encoder *e, int literal, int group);
void encoder_clause(struct encoder *e, const int *literals, int count, int group);
int encoder_input(struct encoder *e, int kind, int execution, int a, int b, bool *fresh);

/* Kinds of inputs, so that the same thing asked for twice is the same input. */
enum input_kind {
  INPUT_PERFORMS,
  INPUT_READ_VALUE,
  INPUT_WRITE_VALUE,
  INPUT_GUARD,
  INPUT_REGISTER, /* explain: what a read puts into its register */
  INPUT_STRONG,   /* explain: an instruction is locked, acquires ... */
  INPUT_DEPENDS,  /* explain: a dependency is there */
  INPUT_RF,
  INPUT_CO,
  INPUT_CHOICE,
  INPUT_DECLARED,
  INPUT_FREE,
  INPUT_ORDER
};

struct execution *execution_create(struct encoder *e, int index);
void execution_co(struct execution *x);
int execution_same_location(struct execution *x, int a, int b);

/* When explaining: a literal that is true if this instruction's group, or this dependency's, is part
 * of the core; free otherwise. */
int execution_strong(struct execution *x, int action);
int execution_depends(struct execution *x, const char *kind, int from, int to);

/* values.c */
struct value_map execution_expr(struct execution *x, int expr);
int execution_choice(struct execution *x, int choice); /* a literal */
int execution_truth(struct execution *x, int expr);
int value_map_at(struct value_map m, int64_t value);

/* values_bits.c: the same for bitwise programs */
const int *execution_word(struct execution *x, int expr);
int execution_truth_bits(struct execution *x, int expr); /* not of constants, !, &&, || */
int execution_at_address(struct execution *x, int expr, int64_t address);
void execution_create_read_words(struct execution *x);
void execution_create_write_words(struct execution *x);
void execution_link_words(struct execution *x, int w, int r);
void execution_zero_unless_executed(struct execution *x, int r);

/* When explaining: whether the order (or fence) that a statement asks for counts.  LIT_TRUE if it
 * asks for none, or nothing is to be explained. */
int encoder_order(struct encoder *e, int stmt);

#endif
