/* x86 instructions of one thread, and their translation into guarded statements.
 *
 * litmus.c reads instructions into this form; x86_translate runs them symbolically: forward jumps
 * become guards, and the code is laid out once more for every time a backward jump may be taken. */
#ifndef AXIOM_X86_H
#define AXIOM_X86_H

#include "axiom/program.h"
#include "axiom/scan.h"

/* name, 64, 32, 16 and 8 bit names */
/* clang-format off */
#define X86_REGISTERS(X) \
  X(AX, "rax", "eax", "ax", "al") \
  X(BX, "rbx", "ebx", "bx", "bl") \
  X(CX, "rcx", "ecx", "cx", "cl") X(DX, "rdx", "edx", "dx", "dl") X(SI, "rsi", "esi", "si", "sil") \
      X(DI, "rdi", "edi", "di", "dil") X(BP, "rbp", "ebp", "bp", "bpl") \
          X(SP, "rsp", "esp", "sp", "spl") X(R8, "r8", "r8d", "r8w", "r8b") \
              X(R9, "r9", "r9d", "r9w", "r9b") X(R10, "r10", "r10d", "r10w", "r10b") \
                  X(R11, "r11", "r11d", "r11w", "r11b") X(R12, "r12", "r12d", "r12w", "r12b") \
                      X(R13, "r13", "r13d", "r13w", "r13b") X(R14, "r14", "r14d", "r14w", "r14b") \
                          X(R15, "r15", "r15d", "r15w", "r15b") X(IP, "rip", "eip", "ip", "ip") \
                              X(CS, "cs", "cs", "cs", "cs") X(DS, "ds", "ds", "ds", "ds") \
                                  X(SS, "ss", "ss", "ss", "ss")
/* clang-format on */

enum x86_register {
#define X(name, q, l, w, b) X86_##name,
  X86_REGISTERS(X)
#undef X
      X86_FLAG_A,
  X86_FLAG_B, /* the two sides of the last comparison */
  X86_REGISTER_COUNT
};

enum operand_kind { OPERAND_REGISTER, OPERAND_IMMEDIATE, OPERAND_MEMORY, OPERAND_LABEL };

struct operand {
  enum operand_kind kind;
  int reg, bits;          /* OPERAND_REGISTER */
  int64_t value;          /* immediate (symbol: added address), or displacement */
  int symbol;             /* location whose address is added, or -1 */
  int base, index, scale; /* memory: registers or -1 */
  const char *label;
  struct place place;
};

struct instruction {
  const char *mnemonic; /* lower case */
  const char *label;    /* only defines this label if mnemonic is NULL */
  bool lock;
  struct operand operands[3];
  int count;
  struct place place;
  const char *text;
};

struct x86_code {
  LIST(struct instruction) list;
  int initial[X86_REGISTER_COUNT]; /* expressions */
  int final[X86_REGISTER_COUNT];   /* expressions, filled by x86_translate */
};

/* Register number by any of its names, any case, with or without '%'; -1 if it is none. */
int x86_register_named(const char *text, size_t length, int *bits);

/* Operands are destination-last (AT&T order).  Errors go through the scanner. */
void x86_translate(struct program *p, int thread, struct x86_code *code, bool wide, int unroll,
                   struct scan *s);

#endif
