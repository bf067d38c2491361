/* The natural loops of a function: blocks from which control comes back to a header that dominates them. */
#ifndef INSTRUMENT_LOOPS_H
#define INSTRUMENT_LOOPS_H

#include "base/vec.h"
#include <llvm-c/Core.h>
#include <stdbool.h>

struct loops_block {
  LLVMBasicBlockRef block;
  VEC(unsigned) next, before;
  unsigned order;     /* in reverse postorder, from 1; 0: never reached */
  unsigned dominator; /* the nearest */
};

struct loop {
  unsigned header;
  unsigned size;
  bool *has; /* by block */
};

struct loops {
  VEC(struct loops_block) blocks;
  VEC(struct loop) list; /* smaller ones first */
};

void loops_find(struct loops *l, LLVMValueRef function);
void loops_free(struct loops *l);
bool loops_dominates(const struct loops *l, unsigned a, unsigned b); /* both are reached */
unsigned loops_number(const struct loops *l, LLVMBasicBlockRef block);

static inline bool loop_has_block(const struct loops *l, const struct loop *in,
                                  LLVMBasicBlockRef b) {
  return in->has[loops_number(l, b)];
}

#endif
