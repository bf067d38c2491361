/* A C program as tidemark-lift gives it: objects, functions, blocks, instructions (src/cir/cir.def).
 *
 * Control flow is reducible and every value that leaves a loop does so through a phi of the block
 * behind its exit, so one pass over the blocks in order, loops repeated, executes a function. */
#ifndef CPROG_C_MODULE_H
#define CPROG_C_MODULE_H

#include "axiom/arena.h"
#include "axiom/diag.h"
#include "cir/cir.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum c_operand_kind {
  OPERAND_VALUE,
  OPERAND_NUMBER,
  OPERAND_OBJECT,
  OPERAND_FUNCTION,
  OPERAND_UNDEFINED
};

struct c_operand {
  enum c_operand_kind kind;
  int64_t number; /* a value, a number, an object, a function */
  int64_t offset; /* into an object */
};

struct c_instruction {
  enum cir_op op;
  struct place place;
  int dst;        /* -1 = no result */
  int more;       /* call: results behind the first, in the values behind dst */
  int bits, from; /* of the result and of what is converted; bytes of an access */
  enum cir_order order, failure;
  enum cir_rmw rmw;
  bool is_volatile, weak, is_local;
  int layout;
  const char *text; /* name of a variable; what is not supported */
  LIST(struct c_operand) args;
  LIST(int) blocks;   /* successors; phi: predecessors, one for each argument */
  LIST(int64_t) keys; /* switch: numbers for the successors behind the first */
};

struct c_block {
  int first, count; /* instructions */
  int loop;         /* innermost loop it belongs to, -1 = none */
};

struct c_loop {
  int header, parent; /* a block; the loop around it or -1 */
  bool has_exit;      /* some block of it leads out */
};

struct c_function {
  const char *name;
  bool defined;
  int args, values;
  LIST(struct c_instruction) code;
  LIST(struct c_block) blocks;
  LIST(struct c_loop) loops;
  LIST(int) order; /* reachable blocks, every block behind its predecessors but for back edges */
};

struct c_scalar {
  int64_t offset;
  int bytes;
};

struct c_layout {
  int64_t size;
  LIST(struct c_scalar) scalars;
};

struct c_initial {
  int64_t offset;
  int bytes;
  struct c_operand value;
};

struct c_global {
  const char *name;
  int layout;
  bool is_thread_local, is_constant;
  struct place place;
  LIST(struct c_initial) initial;
  bool initial_unsupported;
};

struct c_module {
  const char *file;
  LIST(const char *) files;
  LIST(struct c_layout) layouts;
  LIST(struct c_global) globals;
  LIST(struct c_function) functions;
};

/* NULL and *d if the text is not what cir.def says (or of another version). */
struct c_module *c_module_read(const char *text, size_t length, struct arena *a, struct diag *d);

int c_module_find(const struct c_module *m,
                  const char *function); /* defined; -1 if there is none */

/* c_flow.c: order, loops; false and *d if control flow is not reducible. */
bool c_flow_analyse(struct c_function *f, struct arena *a, struct diag *d);
/* Behind a call that does not return: a failed assertion, the end of the thread or of the program. */
bool c_block_ends(const struct c_function *f, int block);
bool c_loop_contains(const struct c_function *f, int loop, int block);
int c_loop_end(const struct c_function *f,
               int loop); /* the first block that all ways out of it come to; -1: none */

/* A constant string of the program, NULL if it is none. */
const char *c_module_string(const struct c_module *m, struct c_operand o, struct arena *a);

#endif
