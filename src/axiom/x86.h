/* x86 instructions: registers, and what an instruction does to the symbolic machine (asm.h). */
#ifndef AXIOM_X86_H
#define AXIOM_X86_H

#include "axiom/asm.h"

/* name, 64, 32, 16 and 8 bit names */
/* clang-format off */
#define X86_REGISTERS(X) \
  X(AX, "rax", "eax", "ax", "al") \
  X(BX, "rbx", "ebx", "bx", "bl") \
  X(CX, "rcx", "ecx", "cx", "cl") \
  X(DX, "rdx", "edx", "dx", "dl") \
  X(SI, "rsi", "esi", "si", "sil") \
  X(DI, "rdi", "edi", "di", "dil") \
  X(BP, "rbp", "ebp", "bp", "bpl") \
  X(SP, "rsp", "esp", "sp", "spl") \
  X(R8, "r8", "r8d", "r8w", "r8b") \
  X(R9, "r9", "r9d", "r9w", "r9b") \
  X(R10, "r10", "r10d", "r10w", "r10b") \
  X(R11, "r11", "r11d", "r11w", "r11b") \
  X(R12, "r12", "r12d", "r12w", "r12b") \
  X(R13, "r13", "r13d", "r13w", "r13b") \
  X(R14, "r14", "r14d", "r14w", "r14b") \
  X(R15, "r15", "r15d", "r15w", "r15b") \
  X(IP, "rip", "eip", "ip", "ip") \
  X(CS, "cs", "cs", "cs", "cs") \
  X(DS, "ds", "ds", "ds", "ds") \
  X(SS, "ss", "ss", "ss", "ss")
/* clang-format on */

enum x86_register {
#define X(name, q, l, w, b) X86_##name,
  X86_REGISTERS(X)
#undef X
      X86_REGISTER_COUNT
};

void x86_read_att(struct litmus_reader *r, struct asm_code *code);
void x86_read_intel(struct litmus_reader *r, struct asm_code *code);

#endif
