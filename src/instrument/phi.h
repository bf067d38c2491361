/* Values that depend on the way by which a block is reached. */
#ifndef INSTRUMENT_PHI_H
#define INSTRUMENT_PHI_H

#include <llvm-c/Core.h>

/* What it is on the way from there; NULL: that leads elsewhere. */
static inline LLVMValueRef phi_from(LLVMValueRef phi, LLVMBasicBlockRef from) {
  for (unsigned i = 0; i < LLVMCountIncoming(phi); i++)
    if (LLVMGetIncomingBlock(phi, i) == from)
      return LLVMGetIncomingValue(phi, i);
  return NULL;
}

/* The first instruction of a block that is not a phi. */
static inline LLVMValueRef phi_end(LLVMBasicBlockRef block) {
  LLVMValueRef i = LLVMGetFirstInstruction(block);
  while (LLVMIsAPHINode(i))
    i = LLVMGetNextInstruction(i);
  return i;
}

#endif
