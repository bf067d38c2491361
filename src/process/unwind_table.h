/* One step up a stack by the unwind tables (.eh_frame) that compilers write for exceptions.
 *
 * A frame is a code address and the registers that are known there.  Memory is read only inside the
 * stack that is given and inside the tables, so a broken stack ends a walk and does no harm: this runs
 * in signal handlers. */
#ifndef PROCESS_UNWIND_TABLE_H
#define PROCESS_UNWIND_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Registers by their numbers in the tables; the return address counts as one. */
enum { UNWIND_RBX = 3, UNWIND_RBP = 6, UNWIND_RSP = 7, UNWIND_PC = 16, UNWIND_REGISTERS = 17 };

struct unwind_frame {
  uintptr_t value[UNWIND_REGISTERS];
  uint32_t known; /* bit r: value[r] is known */
  bool exact;     /* the instruction itself, not the one behind a call */
};

struct unwind_stack {
  uintptr_t low, high;
};

bool unwind_read(const struct unwind_stack *s, uintptr_t address, uintptr_t *value);

/* Where the function with this code begins by its table (an .eh_frame_hdr section); 0: unknown. */
uintptr_t unwind_table_function(const uint8_t *table, uintptr_t pc, size_t *bytes);

/* f becomes its caller.  false: the table has nothing for it, or something that was not expected;
 * f stays.  UNWIND_PC is unknown afterwards where the table says that there is no caller. */
bool unwind_table_step(const uint8_t *table, const struct unwind_stack *s, struct unwind_frame *f);

#endif
