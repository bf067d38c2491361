/* The operands of one inline assembly call: what the constraints say about each $N, the values the
 * registers hold on the way through the statements, and the results.
 *
 * Lowering runs twice over the statements: once with `emit` false, to see whether everything is
 * understood, then for real.  Values are NULL in the first run. */
#ifndef INSTRUMENT_ASM_OPERAND_H
#define INSTRUMENT_ASM_OPERAND_H

#include "instrument/asm_text.h"
#include "instrument/pass.h"

#define ASM_CONSTRAINTS_MAX 32

struct asm_constraint {
  bool is_output, is_memory; /* is_memory: the argument is a pointer to the operand */
  bool is_scratch;           /* no operand: a register that the statements use among themselves */
  int argument, result;      /* index among the call's arguments, results; -1 */
  int tied;                  /* input that shares the register of this output; -1 */
  char reg[8];               /* of a fixed register, as in struct asm_operand */
  char flag[8];              /* "z" of an output =@ccz */
  bool is_set;               /* an output that has got its value */
  LLVMValueRef value;        /* what the register holds now; NULL if nothing is known */
};

struct asm_call {
  struct pass *pass;
  LLVMValueRef call, site;
  bool emit;
  bool clobbers_memory;
  int count;
  struct asm_constraint constraints[ASM_CONSTRAINTS_MAX];
  /* The flags after the last instruction that set them: i1, valid if has_... */
  bool has_flags, has_sign, has_carry;
  LLVMValueRef zero, negative, carry;
};

/* False if the constraints are beyond what is handled. */
bool asm_call_init(struct asm_call *a, struct pass *pass, LLVMValueRef call);
void asm_call_begin(struct asm_call *a, bool emit);

bool asm_is_memory(const struct asm_call *a, const struct asm_operand *o);
bool asm_has_value(const struct asm_call *a, const struct asm_operand *o);
bool asm_register_has_value(const struct asm_call *a, const char *reg);

/* Bytes of the operand's type; 0 if it has none of its own. */
unsigned asm_operand_bytes(const struct asm_call *a, const struct asm_operand *o);

/* Only when emitting. */
LLVMValueRef asm_address(struct asm_call *a, const struct asm_operand *o);
LLVMValueRef asm_value(struct asm_call *a, const struct asm_operand *o, unsigned bytes);
LLVMValueRef asm_register_value(struct asm_call *a, const char *reg, unsigned bytes);

/* True if there is such a register operand; `value` is an integer or NULL. */
bool asm_set(struct asm_call *a, const struct asm_operand *o, LLVMValueRef value);
bool asm_set_register(struct asm_call *a, const char *reg, LLVMValueRef value);
void asm_set_flags(struct asm_call *a, LLVMValueRef zero, LLVMValueRef negative);
void asm_set_carry(struct asm_call *a, LLVMValueRef carry);

/* All outputs have values. */
bool asm_is_complete(struct asm_call *a);
/* Put the results in place of the call. */
void asm_call_finish(struct asm_call *a);

#endif
