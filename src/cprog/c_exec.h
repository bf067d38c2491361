/* Symbolic execution of a C program into guarded statements (program.h).
 *
 * Threads are executed one after the other; what they read are unknowns.  A path that waits (a loop
 * that changes nothing and goes round, a lock that is taken, a join) simply ends there: what the
 * thread has done so far is the beginning of a real execution.  So does a path that goes over the
 * unrolling bound, which is noted, and one on which an assertion fails.
 *
 * Memory is objects of bytes at fixed addresses, cut into cells that no access crosses.  Which cells
 * there are, and which of them an access may touch, is known only after the execution, so it is done
 * in rounds: c_shape keeps what the last round has found out.  A round may have more accesses and
 * objects than the last one, or fewer, so both are known by where they are on the path (c_key.h), not
 * by their numbers. */
#ifndef CPROG_C_EXEC_H
#define CPROG_C_EXEC_H

#include "axiom/program.h"
#include "cprog/c_expr.h"
#include "cprog/c_key.h"
#include "cprog/c_module.h"
#include "cprog/c_target.h"
#include <setjmp.h>

/* What memory holds that nobody has written, where it is one value: no address, nor near one. */
#define C_UNWRITTEN 0x5a5a5a5a5a5a0000

struct c_cell { /* of memory that only one thread can see at the time */
  int64_t offset;
  int bytes;
  int value; /* an expression */
  bool is_unwritten;
};

struct c_object {
  const char *name;
  int64_t address, size;
  int layout;         /* -1 = no type */
  int global, thread; /* which variable, for which thread's copy; -1 */
  bool is_private;    /* a local variable whose address goes nowhere: never seen by models */
  bool is_undefined;  /* its initial contents are not determined */
  bool is_heap;
  int freed; /* an expression: it was freed before any thread began; -1 = never */
  int over;  /* likewise: a local variable whose function has returned, in this thread */
  struct place place;
  LIST(struct c_cell) cells; /* contents, or initial contents once threads run */
};

struct c_span {
  int64_t offset;
  int bytes;
};

struct c_access { /* what the last round found out about an access */
  bool known;
  int bytes;                /* all of it: another one has its number if that differs now */
  LIST(int64_t) candidates; /* addresses */
  LIST(int) parts;          /* bytes of each; none = in one piece */
  int first_value, values;  /* of its reads: in c_shape.values */
  LIST(struct c_span) ends; /* it is the end of these cells (c_free) or their beginning (c_birth) */
  bool clashes;             /* see c_idle.h */
};

struct c_values { /* of a read, in all executions; count -1 = any */
  const int64_t *data;
  int count;
  LIST(int) functions; /* if any: those whose address may have got there */
};

struct c_free {              /* a call of free, or the end of a local variable */
  int address;               /* an expression */
  int object;                /* the variable, or -1 */
  int thread, access;        /* who, and the number that it has among accesses */
  LIST(struct c_span) cells; /* of the objects that it may free */
};

struct c_birth { /* a call of malloc; see c_target.has_births */
  int object, guard;
  int thread, stmt; /* who, and the number that the next statement has */
  int access;
  LIST(struct c_span) cells; /* that others may use without knowing of it */
};

struct c_place { /* where an object lies */
  uint64_t key;
  int64_t address, size;
};

struct c_shape {
  struct arena *arena;
  LIST(int64_t) heap;             /* addresses that malloc gives to anybody */
  LIST(struct c_values) values;   /* by part, if thin air is out of the question */
  LIST(struct c_access) accesses; /* by number */
  LIST(struct c_key) keys;        /* of accesses, ascending */
  LIST(struct c_place) places;    /* of all objects that any round has had */
  uint64_t joined;                /* threads that somebody waits for */
  bool mutex_kinds;               /* some mutexes are recursive, or check who has them */
  bool destroys;                  /* locks and the like come to an end */
  int condition_waits;            /* how many waits for condition variables there are */
  bool joined_known;
  bool all_turns; /* loops go round as often as they may, whatever values are known */
  uint64_t hash;  /* of all of it */
};

struct c_part { /* one statement of an access */
  int access, stmt;
  int64_t offset; /* from the address of the access */
  int bytes, access_bytes;
  bool is_atomic;
  bool follows; /* it is cut as the others are: see c_free and c_birth */
};

enum c_violation_kind {
  VIOLATION_ASSERT,
  VIOLATION_ADDRESS,
  VIOLATION_DIVISION,
  VIOLATION_CALL, /* of a function that must not be called so */
  VIOLATION_FREE  /* use after free, a second free, free of something else */
};

struct c_violation {
  enum c_violation_kind kind;
  int guard; /* an expression: it happens */
  int thread;
  struct place place;
  const char *text;
  int address; /* VIOLATION_ADDRESS: an expression, or -1 */
  int bytes;   /* likewise: of the access */
};

struct c_bound { /* a loop, a recursion or a thread that creates its like would have gone on */
  int guard;
  struct place place;
};

struct c_wait { /* a path ends here because it waits for what others do */
  int guard, thread;
  struct place place;
  LIST(int) reads; /* expressions: what it looks at */
};

struct c_spurious { /* an expression: a weak exchange has failed for no reason */
  int part, guard;
};

struct c_activation { /* a function that is being executed */
  int function, guard;
  const int *args; /* all that were passed */
  int arg_count;
};

struct c_hold { /* a thread has taken a lock, or given it back */
  int thread;
  int address, guard; /* expressions: which one, and whether */
  bool taken;
};

struct c_exit { /* a thread ends here, with this value */
  int guard, value;
};

struct c_thread {
  int handle;               /* of pthread_t */
  int end_flag, start_flag; /* objects; -1 = not needed */
  int result;
  int function;   /* -1 = of main and its like */
  int began;      /* its guard when it began */
  int creator;    /* the thread that has created it; -1 = none has */
  int created_at; /* how many statements there were then */
  int created;    /* the creator's guard there */
};

/* The order that a source position asks for, if it is to be another one than written. */
struct c_override {
  struct place place;
  enum cir_order order;
  bool removed; /* a fence */
};

struct c_exec {
  struct arena *arena;
  const struct c_module *module;
  struct program *p;
  const struct c_target *target;
  struct c_shape *shape;
  const struct c_override *overrides;
  int override_count;
  int unroll;
  bool joins_parts, everywhere, coherent, control, keeps_idle, fixes_unwritten; /* see c_options */
  LIST(struct c_object) objects;
  LIST(struct c_part) parts;
  LIST(struct c_free) frees;
  LIST(struct c_birth) births;
  LIST(int) loose; /* parts of turns that change nothing: see c_idle.h */
  LIST(struct c_violation) violations;
  LIST(struct c_bound) bounds;
  LIST(struct c_wait) waits;
  LIST(struct c_thread) threads; /* by thread number of the program; 0 is unused */
  LIST(int) completed;           /* by thread: guards of reaching the end */
  LIST(int) effects;             /* guards of what changed something, since the run began */
  uint64_t joined;               /* threads that somebody waits for, so far */
  bool sequential;               /* no other thread runs yet: memory is just contents */
  bool needs_start;              /* main has done something that a new thread must see */
  int thread, guard;             /* where we are; the guard holds on this path */
  LIST(struct c_activation) calls;
  LIST(int) locals;   /* objects: variables of this thread's functions that have not returned */
  LIST(int) returned; /* by the last function: its results behind the first; -1 = none */
  LIST(struct c_exit) exits;                /* of this thread, so far */
  LIST(struct c_spurious) spurious;         /* of all threads, in order */
  const char *within;                       /* a function that is not the program's; NULL = none */
  LIST(struct c_hold) holds;                /* of all threads, in their order */
  bool asks_order;                          /* somewhere the source asks for more than relaxed */
  bool mutex_kinds, destroys;               /* see c_shape; so far */
  int condition_waits;                      /* so far */
  const struct c_instruction *unknown_call; /* not all that it may call is known; NULL = none */
  int pruned;                               /* branches that values rule out, so far */
  int next_bound;      /* turns that the next loop may make, if that is more than `unroll` */
  LIST(uint64_t) keys; /* of accesses, by number */
  struct c_position position;
  int instruction;
  int rcu_sections; /* open ones */
  int64_t steps;
  unsigned char **reached;    /* by function, by instruction: some path comes to it */
  const uint64_t *origins;    /* by expression: objects it may be an address in; see c_domain.c */
  const struct values *guess; /* by expression, NULL = none: see c_domain.h */
  size_t origin_words;
  size_t origin_functions; /* the word of an origin with which those of functions begin */
  struct diag *diag;
  jmp_buf fail;
};

_Noreturn void c_fail(struct c_exec *x, struct place where, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* c_exec.c */
/* Does one guard say that the other holds?  Surely; may miss some. */
bool c_guard_implies(const struct c_exec *x, int path, int guard);
void c_end_locals(struct c_exec *x, int first, struct place where); /* of c_exec.locals */
int c_run_function(struct c_exec *x, int function, const int *args, int count, struct place where);
int c_input(struct c_exec *x, const char *name, int bits, struct place where);
/* What memory holds that nobody has written. */
int c_contents_input(struct c_exec *x, const struct c_object *o, int bytes, struct place where);
void c_violate(struct c_exec *x, enum c_violation_kind kind, int condition, struct place where,
               const char *text); /* if the condition holds; the path goes on if not */
/* Likewise, for an access to no place that it is known to touch. */
void c_violate_access(struct c_exec *x, int condition, int address, int bytes, struct place where);
void c_stop_unless(struct c_exec *x, int condition); /* the path ends here if it does not hold */
void c_stop_at_bound(struct c_exec *x, struct place where); /* it would go on, but not here */
/* The same, for a condition on what was read since there were so many parts: the path waits. */
void c_wait_until(struct c_exec *x, int condition, int first_part, struct place where);
/* The path with this guard ends, waiting for another value of what was read since then. */
void c_add_wait(struct c_exec *x, int guard, int first_part, struct place where);

/* c_feasible.c: can a guard hold?  False only if the values rule it out that the last round has found.
 * The second looks at the condition alone that a branch has just added to the guard. */
bool c_feasible(struct c_exec *x, int guard);
bool c_branch_feasible(struct c_exec *x, int guard, int condition);

/* c_memory.c */
int c_object_create(struct c_exec *x, struct c_object o);
int64_t c_object_address(struct c_exec *x, int global); /* of this thread's copy */
void c_memory_start(struct c_exec *x); /* threads begin: contents become initial writes */
int c_memory_initial(struct c_exec *x, int object, int64_t offset, int bytes); /* an expression */
/* The value of memory that nobody has written, and whether that is what these bytes hold at first. */
int c_memory_unwritten(struct c_exec *x, int object, int bytes, struct place where);
bool c_memory_is_unwritten(struct c_exec *x, int object, int64_t offset, int bytes);
int c_object_at(const struct c_exec *x, int64_t address); /* -1 if none */

/* An access as the source has it; `order` is its order there. */
struct c_request {
  int address; /* an expression */
  int bytes;
  enum cir_order order;
  struct place place;
};
struct c_pair { /* a value of up to 16 bytes; high is -1 if it has at most 8 */
  int low, high;
};
struct c_pair c_access_load_pair(struct c_exec *x, struct c_request r);
void c_access_store_pair(struct c_exec *x, struct c_request r, struct c_pair value);
struct c_pair c_read_modify_write_pair(struct c_exec *x, struct c_request r, enum cir_rmw op,
                                       struct c_pair operand);
struct c_pair c_compare_exchange_pair(struct c_exec *x, struct c_request r, enum cir_order failure,
                                      bool weak, struct c_pair expected, struct c_pair desired,
                                      int *success);
int c_access_load(struct c_exec *x, struct c_request r);
void c_access_store(struct c_exec *x, struct c_request r, int value);
void c_access_malloc(struct c_exec *x, int object, struct place where);
void c_access_free(struct c_exec *x, int address, struct place where);
void c_access_return(struct c_exec *x, int object, struct place where); /* a variable's end */
int c_read_modify_write(struct c_exec *x, struct c_request r, enum cir_rmw op, int operand);
/* the value that was there; *success is a truth value */
int c_compare_exchange(struct c_exec *x, struct c_request r, enum cir_order failure, bool weak,
                       int expected, int desired, int *success);
void c_fence(struct c_exec *x, enum c_fence fence, enum cir_order order, struct place where);

/* What a read statement may read, as the last round has it; NULL = not known. */
const struct c_values *c_read_values(const struct c_exec *x, int stmt);

/* c_call.c: functions that the program does not define; false if it is none we know. */
bool c_call_external(struct c_exec *x, const char *name, const struct c_instruction *i,
                     const int *args, int count, int *result);

/* c_hold.c: a lock is this thread's from now on, if the condition holds; gives it back, which is a
 * violation unless it has it. */
void c_hold_take(struct c_exec *x, int address, int condition);
void c_hold_give(struct c_exec *x, int address, struct place where);

/* c_thread.c */
void c_run_program(struct c_exec *x);
int c_thread_create(struct c_exec *x, int function, int arg, struct place where); /* its handle */
void c_thread_exit(struct c_exec *x, int value, struct place where); /* its end, here */
void c_thread_join(struct c_exec *x, int handle, struct place where, int *result);

#endif
