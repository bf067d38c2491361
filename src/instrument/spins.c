#include "instrument/spins.h"
#include <stdbool.h>
#include <string.h>

/* std::__detail::__atomic_spin<...> of libstdc++: for (auto __i = 0; __i < 16; ++__i) */
#define SPINS "_ZNSt8__detail13__atomic_spinI"
#define ROUNDS 16

static bool is_bound(LLVMValueRef i) {
  if (!LLVMIsAICmpInst(i) || LLVMGetICmpPredicate(i) != LLVMIntSLT)
    return false;
  LLVMValueRef most = LLVMGetOperand(i, 1);
  return LLVMIsAConstantInt(most) && LLVMConstIntGetSExtValue(most) == ROUNDS;
}

static void shorten(LLVMValueRef function) {
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
      if (is_bound(i))
        LLVMSetOperand(i, 1, LLVMConstInt(LLVMTypeOf(LLVMGetOperand(i, 1)), 1, true));
}

void spins_shorten(LLVMModuleRef module) {
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
    size_t length;
    const char *name = LLVMGetValueName2(f, &length);
    if (length > strlen(SPINS) && memcmp(name, SPINS, strlen(SPINS)) == 0)
      shorten(f);
  }
}
