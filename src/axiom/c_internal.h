/* Private to c_read.c (syntax, control flow) and c_calls.c (primitives). */
#ifndef AXIOM_C_INTERNAL_H
#define AXIOM_C_INTERNAL_H

#include "axiom/c_litmus.h"

struct c_local {
  int thread;
  const char *name;
  struct asm_value value;
};

struct c_reader {
  struct litmus_reader *litmus;
  struct scan *scan;
  struct program *p;
  struct asm_machine machine; /* emits accesses; `now` is the primitive that is being read */
  struct asm_state state;
  struct instruction now;
  LIST(struct c_local) locals; /* of all threads; those of earlier ones are final */
  int thread;
  bool skipping; /* reads code that is never reached: nothing is emitted */
};

struct c_local *c_find_local(struct c_reader *c, int thread, const char *name);

struct asm_value c_read_expression(struct c_reader *c);

/* The address of what an expression such as *x, a[1] or x names. */
struct asm_value c_read_lvalue(struct c_reader *c);

/* Accesses at the place that c_begin set; `stmt`, if not NULL, gets the read. */
struct asm_value c_load(struct c_reader *c, struct asm_value address, struct tags tags, int *stmt);
void c_store(struct c_reader *c, struct asm_value address, struct tags tags, struct asm_value v,
             int read);

/* A plain access, with the scanner behind it; `start` is where its text begins. */
struct asm_value c_plain_load(struct c_reader *c, struct asm_value address, struct place where,
                              const char *start);
void c_plain_store(struct c_reader *c, struct asm_value address, struct asm_value v,
                   struct place where, const char *start);

/* c_calls.c: a call of the primitive `name`, with the scanner behind '('; its value, if it has one.
 * A primitive that is unknown is an error. */
struct asm_value c_call(struct c_reader *c, const char *name, struct place where,
                        const char *start);

/* What follows is emitted at this place and with this text. */
void c_begin(struct c_reader *c, struct place where, const char *start);

#endif
