/* AArch64 instructions: registers, and how their operands are read. */
#ifndef AXIOM_AARCH64_H
#define AXIOM_AARCH64_H

#include "axiom/asm.h"

/* X0 to X30 are 0 to 30. */
enum { AARCH64_SP = 31, AARCH64_ZR = 32, AARCH64_REGISTER_COUNT = 33 };

int aarch64_find_register(const char *text, size_t length, struct operand *part);
void aarch64_read_instruction(struct litmus_reader *r, struct asm_code *code);

/* aarch64_memory.c: loads, stores, atomics; false if `now` is none of them. */
bool aarch64_execute_memory(struct asm_machine *m);

struct asm_value aarch64_get(struct asm_machine *m, const struct operand *o);
struct asm_value aarch64_get_register(struct asm_machine *m, int reg, int bits);
void aarch64_set(struct asm_machine *m, const struct operand *o, struct asm_value v);
const struct operand *aarch64_register_operand(struct asm_machine *m, int n);

/* A value after LSL #2, SXTW and so on. */
struct asm_value aarch64_change(struct asm_machine *m, struct asm_value v, int bits,
                                enum operand_change change, int amount);

#endif
