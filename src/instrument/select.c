#include "instrument/select.h"
#include <llvm-c/DebugInfo.h>
#include <string.h>

#define USES_LOOKED_AT_MAX 400

static LLVMValueRef strip_to_root(LLVMValueRef address) {
  for (;;) {
    bool derived = LLVMIsAGetElementPtrInst(address) || LLVMIsABitCastInst(address);
    if (LLVMIsAConstantExpr(address)) {
      LLVMOpcode opcode = LLVMGetConstOpcode(address);
      derived = opcode == LLVMGetElementPtr || opcode == LLVMBitCast;
    }
    if (!derived)
      return address;
    address = LLVMGetOperand(address, 0);
  }
}

/* Intrinsics, and what they were rewritten to, that take a pointer without letting it out. */
static bool keeps_pointer_in(LLVMValueRef call) {
  static const char *const harmless[] = {
      "llvm.lifetime.",  "llvm.mem",         "llvm.dbg.",      "llvm.assume",
      "llvm.invariant.", "llvm.objectsize.", "llvm.prefetch.", "llvm.var.annotation",
      "llvm.x86.",       "tidemark.mem",     "tidemark.load"};
  LLVMValueRef callee = LLVMGetCalledValue(call);
  if (!callee || !LLVMIsAFunction(callee))
    return false;
  size_t length;
  const char *name = LLVMGetValueName2(callee, &length);
  for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
    if (strncmp(name, harmless[i], strlen(harmless[i])) == 0)
      return true;
  return false;
}

/* `budget` bounds the walk; running out of it means "may escape". */
static bool may_escape(LLVMValueRef pointer, int *budget) {
  for (LLVMUseRef use = LLVMGetFirstUse(pointer); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (--*budget < 0)
      return true;
    if (LLVMIsALoadInst(user) || LLVMIsAICmpInst(user))
      continue;
    if (LLVMIsAStoreInst(user)) {
      if (LLVMGetOperand(user, 0) == pointer)
        return true;
    } else if (LLVMIsAGetElementPtrInst(user) || LLVMIsABitCastInst(user)) {
      if (may_escape(user, budget))
        return true;
    } else if (!LLVMIsACallInst(user) || !keeps_pointer_in(user)) {
      return true;
    }
  }
  return false;
}

bool select_is_private(LLVMValueRef address) {
  LLVMValueRef root = strip_to_root(address);
  if (LLVMIsAGlobalVariable(root))
    return LLVMIsGlobalConstant(root);
  if (!LLVMIsAAllocaInst(root))
    return false;
  int budget = USES_LOOKED_AT_MAX;
  return !may_escape(root, &budget);
}

/* A constant, a widened int, or a loop's counter: an index, not a distance between objects. */
static bool is_index(LLVMValueRef value, int depth) {
  if (LLVMIsAConstantInt(value) || LLVMIsAPHINode(value))
    return true;
  if (LLVMIsASExtInst(value) || LLVMIsAZExtInst(value))
    return LLVMGetIntTypeWidth(LLVMTypeOf(LLVMGetOperand(value, 0))) <= 32;
  if (LLVMIsABinaryOperator(value) &&
      (LLVMGetInstructionOpcode(value) == LLVMAdd || LLVMGetInstructionOpcode(value) == LLVMSub))
    return depth > 0 && is_index(LLVMGetOperand(value, 0), depth - 1) &&
           is_index(LLVMGetOperand(value, 1), depth - 1);
  return false;
}

/* Does this address computation stay within one object?  The language says so for all of them;
 * byte arithmetic with a full-size offset is not believed, because self-relative pointers between
 * ordinary and persistent memory are written that way. */
static bool stays_in_object(struct pass *pass, LLVMValueRef gep) {
  if (!LLVMIsInBounds(gep) || LLVMGetTypeKind(LLVMTypeOf(gep)) != LLVMPointerTypeKind ||
      LLVMIsNull(LLVMGetOperand(gep, 0)))
    return false;
  if (LLVMGetGEPSourceElementType(gep) != pass->i8)
    return true;
  for (int i = 1; i < LLVMGetNumOperands(gep); i++)
    if (!is_index(LLVMGetOperand(gep, (unsigned)i), 2))
      return false;
  return true;
}

LLVMValueRef select_object(struct pass *pass, LLVMValueRef address) {
  while (LLVMIsAGetElementPtrInst(address) && stays_in_object(pass, address))
    address = LLVMGetOperand(address, 0);
  return address;
}
