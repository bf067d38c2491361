/* The text of an inline assembly template, taken apart: statements with a mnemonic, prefixes and
 * operands.  Knows nothing of LLVM values, and nothing of what instructions do.
 *
 * AT&T and Intel syntax come out the same: operands are in AT&T order, source first. */
#ifndef INSTRUMENT_ASM_TEXT_H
#define INSTRUMENT_ASM_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#define ASM_OPERANDS_MAX 3
#define ASM_STATEMENTS_MAX 64

enum asm_operand_kind {
  ASM_NUMBERED,  /* $3, ${3:q} */
  ASM_REGISTER,  /* %rax; name without size: "ax", "sp", "8" */
  ASM_IMMEDIATE, /* $$0 */
  ASM_OTHER,     /* labels, symbols, index registers, segments */
};

struct asm_operand {
  enum asm_operand_kind kind;
  int number;
  char reg[8];
  unsigned bytes; /* of the register, as it is named: %eax, ${3:k}; 0: not said */
  long immediate;
  bool indirect;     /* the operand is an address: (%rax), 8($1) */
  long displacement; /* if indirect */
};

struct asm_statement {
  char mnemonic[24]; /* lower case, without prefixes */
  bool lock, rep, data16;
  int count;
  struct asm_operand operands[ASM_OPERANDS_MAX];
};

struct asm_text {
  int count;
  struct asm_statement statements[ASM_STATEMENTS_MAX];
};

/* False if the text cannot be read this way (too long, unknown directives). */
bool asm_text_read(struct asm_text *text, const char *template, size_t length, bool intel);

#endif
