#include "instrument/pass.h"
#include <string.h>

LLVMValueRef pass_int(struct pass *pass, LLVMTypeRef type, uint64_t value) {
  (void)pass;
  return LLVMConstInt(type, value, false);
}

LLVMTypeRef pass_int_type(struct pass *pass, unsigned bytes) {
  return LLVMIntTypeInContext(pass->context, bytes * 8);
}

void pass_replace(LLVMValueRef old, LLVMValueRef value) {
  if (value)
    LLVMReplaceAllUsesWith(old, value);
  LLVMInstructionEraseFromParent(old);
}

bool pass_has_attribute(LLVMValueRef function, const char *name) {
  unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
  return LLVMGetEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex, kind) != NULL;
}

uint64_t pass_store_bytes(struct pass *pass, LLVMTypeRef type) {
  return LLVMStoreSizeOfType(pass->layout, type);
}

unsigned pass_scalar_bytes(struct pass *pass, LLVMTypeRef type) {
  LLVMTypeKind kind = LLVMGetTypeKind(type);
  if (kind == LLVMStructTypeKind || kind == LLVMArrayTypeKind || kind == LLVMTokenTypeKind)
    return 0;
  if (kind == LLVMVectorTypeKind &&
      LLVMGetTypeKind(LLVMGetElementType(type)) == LLVMPointerTypeKind)
    return 0;
  uint64_t bits = LLVMSizeOfTypeInBits(pass->layout, type);
  return bits == 8 || bits == 16 || bits == 32 || bits == 64 ? (unsigned)(bits / 8) : 0;
}

LLVMValueRef pass_to_int(struct pass *pass, LLVMValueRef value) {
  LLVMTypeRef type = LLVMTypeOf(value);
  LLVMTypeRef integer =
      LLVMIntTypeInContext(pass->context, (unsigned)LLVMSizeOfTypeInBits(pass->layout, type));
  if (LLVMGetTypeKind(type) == LLVMPointerTypeKind)
    return LLVMBuildPtrToInt(pass->builder, value, integer, "");
  return type == integer ? value : LLVMBuildBitCast(pass->builder, value, integer, "");
}

LLVMValueRef pass_from_int(struct pass *pass, LLVMValueRef value, LLVMTypeRef type) {
  if (LLVMGetTypeKind(type) == LLVMPointerTypeKind)
    return LLVMBuildIntToPtr(pass->builder, value, type, "");
  return LLVMTypeOf(value) == type ? value : LLVMBuildBitCast(pass->builder, value, type, "");
}
