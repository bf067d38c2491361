/* Instructions that read one place in memory and write none, or write one and read none: which bytes that are, and
 * the same instruction with another operand.
 *
 * Only forms that are listed in reading.c are known; of any other one nothing is said, and whoever
 * asks takes a slower way. */
#ifndef ACCESS_READING_H
#define ACCESS_READING_H

#include "access/bypass_internal.h"

#define READING_BYTES_MAX 15

struct reading {
  uint8_t length, size;     /* bytes of the instruction, bytes that it reads or writes */
  uint8_t operand, trailer; /* where its ModRM byte is, and what comes behind the operand */
  int8_t base, index;       /* numbers of registers, or -1 */
  uint8_t scale;
  bool stores;        /* it writes them */
  bool elsewhere_rdi; /* which register reading_elsewhere takes: rdi, or else rsi */
  int32_t displacement;
};

/* False: not known to be such an instruction. */
bool reading_decode(const uint8_t *code, struct reading *r);

/* Is it the load of Fletcher's checksum, low += *p++, high += low, with 4 bytes each? */
bool reading_sums(const uint8_t *code);

/* The address of what it reads or writes. */
uintptr_t reading_address(const struct reading *r, const struct bypass_frame *f);

/* The instruction with (%rsi), or (%rdi), as its operand; both are not its other operands.  Returns
 * how many bytes were written, not more than the instruction has. */
int reading_elsewhere(const struct reading *r, const uint8_t *code, uint8_t *to);

#endif
