/* The prefixes of an x86-64 instruction, as far as bypass.c and those it asks need to know it. */
#ifndef ACCESS_OPCODE_H
#define ACCESS_OPCODE_H

#include <stdbool.h>
#include <stdint.h>

struct opcode {
  const uint8_t *code;               /* behind the prefixes */
  uint8_t repeat;                    /* 0xf2, 0xf3 (or part of the opcode), or 0 */
  int repeats;                       /* how many of those */
  bool short_operand, short_address; /* 0x66, 0x67 */
  bool segment;                      /* fs or gs */
  bool wide;                         /* REX.W */
};

struct opcode opcode_read(uintptr_t instruction);

bool opcode_is_string(const struct opcode *o);     /* movs, cmps, stos, lods, scas */
bool opcode_is_comparison(const struct opcode *o); /* cmps */
bool opcode_is_transfer(const struct opcode *o);   /* call, jump or return, through memory */
bool opcode_is_flush(const struct opcode *o);      /* clflush, clflushopt or clwb */

/* Does it read more than 64 bytes, or at several places, so that a fault does not tell where? */
bool opcode_reads_widely(const struct opcode *o);

/* Bytes of an operand of a string operation. */
int opcode_string_size(const struct opcode *o);

#endif
