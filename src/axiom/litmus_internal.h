/* Private to the readers of herd's .litmus format: litmus.c, litmus_state.c and litmus_condition.c (what
 * all languages share), the readers of instructions (x86_read.c, aarch64_read.c, riscv.c, power.c) and c_read.c (C). */
#ifndef AXIOM_LITMUS_INTERNAL_H
#define AXIOM_LITMUS_INTERNAL_H

#include "axiom/asm.h"
#include "axiom/mixed.h"

struct litmus_object { /* a variable or an array of the test */
  const char *name;
  int first;          /* location of its first cell */
  int elements;       /* 0 if it is no array */
  int element_bytes;  /* 0 if unknown */
  int declared_bytes; /* as its type says, 0 without one */
  bool is_unsigned;   /* likewise */
  int cells;          /* per element */
  int cell_bytes;     /* if cells > 1 */
  bool noted;         /* an array whose declaration is still to be read */
};

/* A register without a number, "%P0_x": some register that the code of a thread does not use otherwise. */
struct litmus_symbol {
  const char *name;
  int64_t initial;
};

struct litmus_reader {
  struct scan scan;
  struct program *p;
  const struct asm_arch *arch; /* NULL: C */
  const struct mixed_plan *mixed;
  int unroll;
  LIST(struct asm_code) code; /* by user thread, in source order */
  LIST(struct litmus_object) objects;
  LIST(struct litmus_symbol) symbols; /* have the numbers behind those of the architecture */
  bool in_code;
  struct c_reader *c; /* C only */
};

/* The first cell of a variable or array; a name that is new is a new variable. */
int litmus_location(struct litmus_reader *r, const char *name, struct place where);

/* What memory holds at an object's element when all is over (or in persistent memory). */
int litmus_final(struct litmus_reader *r, const struct litmus_object *o, int element, bool nvm);

struct litmus_object *litmus_find_object(struct litmus_reader *r, const char *name);

/* An error if there can be no such thread. */
void litmus_check_thread(struct litmus_reader *r, int64_t number, struct place where);
struct asm_code *litmus_thread(struct litmus_reader *r, int64_t number, struct place where);

/* "0:" or "P0:" at the scanner; false if there is none. */
bool litmus_read_thread(struct litmus_reader *r, int64_t *number);

/* What stands between '{' and '}', and everything behind the code. */
void litmus_read_initial(struct litmus_reader *r);
void litmus_read_conditions(struct litmus_reader *r);

/* A register at the scanner, which is behind it afterwards; -1 if there is none. */
int litmus_register(struct litmus_reader *r, struct operand *part);

/* Reads "mnemonic operand, operand" or "label:" up to the end of the cell, calling `operand`. */
void litmus_read_instruction(struct litmus_reader *r, struct asm_code *code,
                             void (*operand)(struct litmus_reader *, struct operand *));

extern const struct asm_arch x86_intel, x86_att, aarch64, riscv, power;

#endif
