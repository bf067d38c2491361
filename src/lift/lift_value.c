/* Operands: numbers of a function's values, constants, addresses, initial values of objects. */
#include "lift/lift_internal.h"
#include <stdlib.h>
#include <string.h>

static const char prefix[] = "tm.";

/* Local variables keep their name behind the number. */
static void set_number(LLVMValueRef v, int number) {
  struct str name = {0};
  size_t n;
  const char *old = LLVMGetValueName2(v, &n);
  str_format(&name, "%s%d.%s", prefix, number, LLVMIsAAllocaInst(v) ? old : "");
  LLVMSetValueName2(v, str_text(&name), name.length);
  str_free(&name);
}

static int number_of(LLVMValueRef v) {
  size_t n;
  const char *name = LLVMGetValueName2(v, &n);
  return n > sizeof prefix - 1 ? atoi(name + sizeof prefix - 1) : -1;
}

/* A compare-and-exchange has two results and takes two numbers. */
void lift_number_function(LLVMValueRef f) {
  int next = 0, blocks = 0;
  for (LLVMValueRef p = LLVMGetFirstParam(f); p; p = LLVMGetNextParam(p))
    set_number(p, next++);
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
    set_number(LLVMBasicBlockAsValue(b), CIR_BLOCK_FIRST + blocks++);
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
      if (LLVMGetTypeKind(LLVMTypeOf(i)) != LLVMVoidTypeKind) {
        set_number(i, next);
        next += LLVMGetInstructionOpcode(i) == LLVMAtomicCmpXchg ? 2 : 1;
      }
}

int lift_value_number(LLVMValueRef v) {
  if (LLVMIsAExtractValueInst(v) && LLVMIsAAtomicCmpXchgInst(LLVMGetOperand(v, 0)))
    return number_of(LLVMGetOperand(v, 0)) + (int)*LLVMGetIndices(v);
  return number_of(v);
}

int lift_block_number(LLVMBasicBlockRef b) {
  return number_of(LLVMBasicBlockAsValue(b)) - CIR_BLOCK_FIRST;
}

const char *lift_variable_name(LLVMValueRef v) {
  size_t n;
  const char *name = LLVMGetValueName2(v, &n), *dot = n > 3 ? strchr(name + 3, '.') : NULL;
  return dot && dot[1] ? dot + 1 : "local";
}

static int find(LLVMValueRef *list, size_t length, LLVMValueRef v) {
  for (size_t i = 0; i < length; i++)
    if (list[i] == v)
      return (int)i;
  return -1;
}

/* The offset that a constant index list adds; false if it is not constant. */
static bool constant_offset(struct lift *l, LLVMValueRef gep, int64_t *offset) {
  LLVMTypeRef t = LLVMGetGEPSourceElementType(gep);
  *offset = 0;
  for (int i = 1; i < LLVMGetNumOperands(gep); i++) {
    LLVMValueRef index = LLVMGetOperand(gep, (unsigned)i);
    if (!LLVMIsAConstantInt(index))
      return false;
    int64_t n = LLVMConstIntGetSExtValue(index);
    if (i == 1) {
      *offset += n * (int64_t)lift_size(l, t);
    } else if (LLVMGetTypeKind(t) == LLVMStructTypeKind) {
      *offset += (int64_t)LLVMOffsetOfElement(l->data, t, (unsigned)n);
      t = LLVMStructGetTypeAtIndex(t, (unsigned)n);
    } else {
      t = LLVMGetElementType(t);
      *offset += n * (int64_t)lift_size(l, t);
    }
  }
  return true;
}

static bool is_cast(LLVMOpcode op) {
  return op == LLVMBitCast || op == LLVMPtrToInt || op == LLVMIntToPtr;
}

/* The object and offset that a constant is the address of. */
static bool constant_address(struct lift *l, LLVMValueRef v, int *object, int64_t *offset) {
  *offset = 0;
  while (LLVMIsAConstantExpr(v)) {
    int64_t more = 0;
    LLVMOpcode op = LLVMGetConstOpcode(v);
    if (op == LLVMGetElementPtr) {
      if (!constant_offset(l, v, &more))
        return false;
    } else if (!is_cast(op)) {
      return false;
    }
    *offset += more;
    v = LLVMGetOperand(v, 0);
  }
  *object = find(l->objects.data, l->objects.length, v);
  return *object >= 0;
}

bool lift_operand(struct lift *l, LLVMValueRef v, struct str *to) {
  int object;
  int64_t offset;
  while (LLVMIsAConstantExpr(v) && is_cast(LLVMGetConstOpcode(v)))
    v = LLVMGetOperand(v, 0);
  if (LLVMIsAInstruction(v) || LLVMIsAArgument(v)) {
    str_format(to, " %%%d", lift_value_number(v));
  } else if (LLVMIsAConstantInt(v)) {
    if (LLVMGetIntTypeWidth(LLVMTypeOf(v)) > 64)
      return false;
    str_format(to, " #%llu", LLVMConstIntGetZExtValue(v));
  } else if (LLVMIsUndef(v) || LLVMIsPoison(v)) {
    str_append(to, " ?");
  } else if (LLVMIsNull(v)) {
    str_append(to, " #0");
  } else if (LLVMIsAFunction(v)) {
    str_format(to, " $%d", find(l->functions.data, l->functions.length, v));
  } else if (constant_address(l, v, &object, &offset)) {
    str_format(to, " @%d+%lld", object, (long long)offset);
  } else {
    return false;
  }
  return true;
}

bool lift_initial(struct lift *l, int object, LLVMValueRef v, uint64_t offset) {
  if (LLVMIsNull(v) || LLVMIsUndef(v))
    return true;
  LLVMTypeRef t = LLVMTypeOf(v);
  LLVMTypeKind kind = LLVMGetTypeKind(t);
  if (kind == LLVMStructTypeKind || kind == LLVMArrayTypeKind) {
    uint64_t count =
        kind == LLVMStructTypeKind ? LLVMCountStructElementTypes(t) : LLVMGetArrayLength2(t);
    for (unsigned i = 0; i < count; i++) {
      LLVMValueRef part = LLVMGetAggregateElement(v, i);
      uint64_t at = kind == LLVMStructTypeKind ? LLVMOffsetOfElement(l->data, t, i)
                                               : i * lift_size(l, LLVMGetElementType(t));
      if (!part || !lift_initial(l, object, part, offset + at))
        return false;
    }
    return true;
  }
  struct str text = {0};
  bool known = lift_operand(l, v, &text);
  if (known)
    str_format(&l->out, "init %d %llu %llu%s\n", object, (unsigned long long)offset,
               (unsigned long long)lift_size(l, t), str_text(&text));
  str_free(&text);
  return known;
}
