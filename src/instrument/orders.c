#include "instrument/orders.h"
#include <stdbool.h>
#include <string.h>

#define ACQ_REL 4 /* std::memory_order */

/* std::_Sp_atomic<...>::_Atomic_count::unlock(memory_order) const, and where it waits afterwards. */
static bool releases(const char *name) {
  static const char type[] = "_ZNKSt10_Sp_atomicI";
  return strncmp(name, type, strlen(type)) == 0 &&
         (strstr(name, "13_Atomic_count6unlockE") ||
          strstr(name, "13_Atomic_count14_M_wait_unlockE"));
}

/* std::__atomic_base<unsigned long>::fetch_sub(unsigned long, memory_order) */
static bool is_step_down(LLVMValueRef i) {
  size_t length;
  if ((!LLVMIsACallInst(i) && !LLVMIsAInvokeInst(i)) || LLVMGetNumArgOperands(i) != 3)
    return false;
  const char *name = LLVMGetValueName2(LLVMGetCalledValue(i), &length);
  return length && strstr(name, "9fetch_subE");
}

static void strengthen(LLVMValueRef function) {
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
      if (is_step_down(i))
        LLVMSetOperand(i, 2, LLVMConstInt(LLVMTypeOf(LLVMGetOperand(i, 2)), ACQ_REL, false));
}

/* std::ctype<char>::narrow(char, char) const */
#define NARROW "_ZNKSt5ctypeIcE6narrowEcc"

/* A byte in an array, other than a pointer in the table of virtual functions. */
static bool touches_cache(LLVMValueRef i) {
  bool load = LLVMIsALoadInst(i), store = LLVMIsAStoreInst(i);
  if (!load && !store)
    return false;
  LLVMTypeRef type = LLVMTypeOf(load ? i : LLVMGetOperand(i, 0));
  return LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == 8 &&
         LLVMIsAGetElementPtrInst(LLVMGetOperand(i, load ? 0 : 1));
}

/* What is kept is not there, and is found out each time. */
static void forget(LLVMValueRef function) {
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
      next = LLVMGetNextInstruction(i);
      if (!touches_cache(i))
        continue;
      if (LLVMIsALoadInst(i))
        LLVMReplaceAllUsesWith(i, LLVMConstNull(LLVMTypeOf(i)));
      LLVMInstructionEraseFromParent(i);
    }
}

void orders_mend(LLVMModuleRef module) {
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
    size_t length;
    const char *name = LLVMGetValueName2(f, &length);
    if (releases(name))
      strengthen(f);
    else if (strcmp(name, NARROW) == 0)
      forget(f);
  }
}
