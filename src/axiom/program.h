/* A finitised multi-threaded test program: what both front ends produce and every back end reads.
 *
 * Each thread is a straight list of guarded statements.  Loops are unwound and branches are turned
 * into guards before a program exists, so "executed" means "the guard is true", and program order
 * between executed statements of a thread is their order in the list.  Values are expressions:
 * a hash-consed graph over constants and the results of reads.  A register has no storage of its
 * own; at the end of its thread it is an expression like any other.
 *
 *   x = 0 | r1 = x          thread 0 (initial writes)  write x 0
 *         | if (r1) y = 1   thread 1                   read  x            -> expr R
 *                                                      write y 1   guard R
 *
 * An address is a value: location number i has address program_address(p, i), so that registers may
 * hold addresses.  Thread 0 is the initialisation; user threads start at 1 and keep the number
 * they have in the source in `name`. */
#ifndef AXIOM_PROGRAM_H
#define AXIOM_PROGRAM_H

#include "axiom/arena.h"
#include "axiom/diag.h"
#include "axiom/tag.h"
#include <stdbool.h>
#include <stdint.h>

/* name, text, number of operands */
/* clang-format off */
#define EXPR_OPS(X) \
  X(ADD, "+", 2) \
  X(SUB, "-", 2) \
  X(MUL, "*", 2) \
  X(DIV, "/", 2) \
  X(MOD, "%", 2) \
  X(AND, "&", 2) X(OR, "|", 2) X(XOR, "^", 2) X(SHL, "<<", 2) X(SHR, ">>", 2) X(EQ, "==", 2) \
      X(NE, "!=", 2) X(LT, "<", 2) X(LE, "<=", 2) X(ULT, "<u", 2) X(ULE, "<=u", 2) \
          X(LAND, "&&", 2) X(LOR, "||", 2) X(LNOT, "!", 1) X(NOT, "~", 1) X(NEG, "-", 1) \
              X(WRAP32, "(int32)", 1) X(WRAP16, "(int16)", 1) X(WRAP8, "(int8)", 1) \
                  X(ITE, "?:", 3) X(UDIV, "/u", 2) X(UMOD, "%u", 2) X(USHR, ">>u", 2)
/* clang-format on */

enum expr_kind {
  EXPR_CONST,  /* value */
  EXPR_READ,   /* what statement `value` (an index into program.stmts) reads */
  EXPR_FINAL,  /* memory at location `value` when all threads are done; conditions only */
  EXPR_NVM,    /* persistent memory at location `value` after a crash; conditions only */
  EXPR_CHOICE, /* 0 or 1, as nobody decides: choice number `value` of the program */
  EXPR_INPUT,  /* any value: number `value` of program.inputs; bitwise programs only */
#define X(name, text, arity) EXPR_##name,
  EXPR_OPS(X)
#undef X
      EXPR_KINDS
};

struct expr {
  enum expr_kind kind;
  int64_t value;
  int arg[3]; /* expression numbers; arguments come before their users */
  int weight; /* operations in it, counted as often as they occur */
};

enum { EXPR_ONE = 0 }; /* the number of the constant 1 in every program */

/* name, text */
/* clang-format off */
#define STMT_KINDS(X) \
  X(READ, "read") \
  X(WRITE, "write") \
  X(FENCE, "fence") \
  X(FLUSH, "flush") \
  X(LOCK, "lock") X(UNLOCK, "unlock") X(EXTERNAL, "external") X(START, "start") X(END, "end")
/* clang-format on */

enum stmt_kind {
#define X(name, text) STMT_##name,
  STMT_KINDS(X)
#undef X
      STMT_KIND_COUNT
};

enum stmt_flavour { /* which fence or flush */
                    FLAVOUR_NONE,
                    FLAVOUR_MFENCE,
                    FLAVOUR_SFENCE,
                    FLAVOUR_LFENCE,
                    FLAVOUR_CLFLUSH,
                    FLAVOUR_CLFLUSHOPT,
                    FLAVOUR_CLWB
};

struct stmt {
  enum stmt_kind kind;
  enum stmt_flavour flavour;
  int thread;
  int guard;   /* executed iff this expression is not 0 */
  int address; /* read, write, flush: an expression; -1 otherwise */
  int bytes;   /* read, write: size of the access if the language has sizes, else 0 */
  int value;   /* write: an expression; -1 otherwise */
  int partner; /* atomic read-modify-write: the other half; lock/unlock: the other end; else -1 */
  int address_from, value_from, guard_from; /* dependency sets, if the front end gives them */
  int picked_from; /* what only chose its address or value; part of guard_from as well */
  int monitor;     /* lock, unlock: number of the monitor; else -1 */
  int access;      /* parts of one access of several cells share it; 0 if it is in one piece */
  int instruction; /* statements of one machine instruction share it; unique within the program */
  bool atomic;     /* half of a locked read-modify-write (a failed one has only the read) */
  bool is_volatile;
  bool frees;       /* a write that stands for the end of its memory: see witness_use_after_free */
  bool births;      /* a write that stands for its beginning */
  bool unwritten;   /* a write that stands for what memory holds before anybody has written it */
  bool returns;     /* and that is because a function has returned */
  int echo;         /* a write: 1 + an expression, it writes what was there; 0 = not known to */
  struct tags tags; /* order, kind of fence ...: sets by name for models */
  struct tags weak; /* what is left of them without the order that the source asks for */
  int order_site;   /* 1 + index into program.orders; 0 = asks for no order */
  int bits;         /* bitwise programs: of the value that is read or written */
  struct place place;
  const char *text; /* as in the source, for messages */
};

struct location {
  const char *name; /* "x" or "a[1]" */
  int64_t initial;
  bool is_volatile, is_atomic;
  struct tags tags; /* of the initial write */
  int line;         /* locations with the same number lie on one cache line */
  int array, index; /* elements of one array share `array`, its first; -1, 0 for a scalar */
  int offset;       /* bytes from the start of the array */
  int bytes;        /* its size if known, else 0 */
  int64_t address;  /* set by program_add_location unless given */
  int input;        /* 1 + the input that is its initial value; 0 = `initial` is */
  bool unwritten;   /* its initial value is what memory holds that nobody has written */
  struct place place;
};

struct input { /* bitwise programs: a value that nothing determines */
  const char *name;
  int bits;
  bool is_contents;  /* of memory that nobody has written */
  bool is_asked_for; /* by the source: witnesses show it */
  int thread, guard; /* who asks for it, and whether; */
  int before;        /* in front of this statement */
  struct place place;
};

struct order_site { /* an order or a fence that the source asks for */
  struct place place;
  const char *text;
};

struct thread {
  const char *name;
  LIST(int) after; /* threads that must have ended before this one starts (0 is implied) */
};

struct observed { /* something that is part of a final state */
  const char *name;
  int expr;
  int bits; /* of its type, negative if that is unsigned; 0 = not known */
};

enum quantifier { QUANT_EXISTS, QUANT_NOT_EXISTS, QUANT_FORALL };

struct clause_part { /* a top-level conjunct of the condition */
  int expr;
  struct place place;
  const char *text;
};

struct dependency {
  int stmt, when; /* the statement whose result is used, and the condition for it */
};

struct depend_set { /* sorted by statement; see depend.h */
  struct dependency *list;
  int count;
};

struct unsequenced { /* no statement in [first, middle) is ordered with one in [middle, end) */
  int first, middle, end;
};

struct program {
  struct arena *arena;
  const char *file, *name, *arch; /* arch: "X86", "AArch64" ... or "schematic" */
  const char *default_model;      /* the model for tests of this language; NULL if there is none */
  LIST(struct expr) exprs;
  LIST(struct stmt) stmts; /* grouped by thread, thread 0 first, in program order */
  LIST(struct thread) threads;
  LIST(struct location) locations;
  LIST(const char *) monitors;
  LIST(struct observed) observed; /* sorted as printed */
  LIST(struct depend_set) depends;
  bool dependencies_given; /* statements have dependency sets; else expressions decide */
  LIST(struct unsequenced)
  unsequenced;       /* statements of one thread that program order leaves open */
  int choices;       /* EXPR_CHOICE: how many there are */
  LIST(int) assumes; /* expressions that hold in the execution we look for */
  enum quantifier quantifier;
  int condition;                  /* an expression, 1 if the test has none */
  LIST(struct clause_part) parts; /* their conjunction is the condition */
  const char *condition_text;
  bool mixed;   /* accesses of different sizes overlap: see stmt.access */
  bool cut;     /* some path went over the unwinding bound and was dropped */
  bool bitwise; /* values are words of bits, not members of small sets: C programs */
  LIST(struct input) inputs;
  const int *moved; /* by number that the front end gave a statement: its own, once finished */
  /* Bitwise programs, [a * stmts + b]: what is true of every execution that the model allows.  NULL:
   * nothing is known. */
  const unsigned char *unseen; /* read b does not see write a */
  const unsigned char
      *in_order; /* if writes a and b are executed, they are at one place, a first */
  LIST(struct order_site) orders;
  struct expr_table *table;
};

struct program *program_create(struct arena *a, const char *file);

/* Expressions are folded and shared: equal expressions have equal numbers. */
int expr_const(struct program *p, int64_t value);
int expr_choice(struct program *p); /* a new one */
int expr_leaf(struct program *p, enum expr_kind kind, int64_t value);
int expr_make(struct program *p, enum expr_kind op, int a, int b, int c);
int64_t expr_apply(enum expr_kind op, int64_t a, int64_t b, int64_t c);
int expr_arity(enum expr_kind op);
bool expr_is_const(const struct program *p, int e, int64_t *value);

int program_add_location(struct program *p, struct location l);
int program_find_location(const struct program *p, const char *name); /* -1 if none */
int program_monitor(struct program *p, const char *name);             /* added if new */
int64_t program_address(const struct program *p, int location);

/* Where an expression is needed first: a statement, else the condition. */
struct place program_place_of(const struct program *p, int expr);
int program_location_at(const struct program *p, int64_t address); /* -1 if none */

/* Statement s comes before t in program order, if both are executed. */
bool program_order(const struct program *p, int s, int t);

/* Thread t has ended before thread u starts. */
bool program_thread_before(const struct program *p, int t, int u);

/* Adds the initial writes as thread 0, START and END around every thread, and checks the shape. */
void program_finish(struct program *p);

/* A value as the user wrote it: a number, or the name of the location it is the address of. */
const char *program_value_text(const struct program *p, struct arena *a, int64_t value);

#endif
