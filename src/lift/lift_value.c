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

static int numbers(struct lift *l, LLVMValueRef v) {
  int parts = lift_parts(l, LLVMTypeOf(v));
  return parts ? parts : 1;
}

void lift_number_function(struct lift *l, LLVMValueRef f) {
  int next = 0, blocks = 0;
  for (LLVMValueRef p = LLVMGetFirstParam(f); p; p = LLVMGetNextParam(p)) {
    set_number(p, next);
    next += numbers(l, p);
  }
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
    set_number(LLVMBasicBlockAsValue(b), CIR_BLOCK_FIRST + blocks++);
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
      if (LLVMGetTypeKind(LLVMTypeOf(i)) != LLVMVoidTypeKind) {
        set_number(i, next);
        next += numbers(l, i);
      }
}

int lift_value_number(LLVMValueRef v) {
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

static bool is_cast(LLVMOpcode op) {
  return op == LLVMBitCast || op == LLVMPtrToInt || op == LLVMIntToPtr;
}

/* A cast that keeps all bits of an address. */
static bool keeps_address(struct lift *l, LLVMValueRef v) {
  return LLVMIsAConstantExpr(v) && is_cast(LLVMGetConstOpcode(v)) &&
         lift_bits(l, LLVMTypeOf(v)) == 64 && lift_bits(l, LLVMTypeOf(LLVMGetOperand(v, 0))) == 64;
}

struct constant { /* a number, or an address in an object */
  int object;     /* -1 = none */
  int64_t number;
};

static bool constant_of(struct lift *l, LLVMValueRef v, struct constant *c);

/* The offset that a constant index list adds; false if it is not constant. */
static bool constant_offset(struct lift *l, LLVMValueRef gep, int64_t *offset) {
  LLVMTypeRef t = LLVMGetGEPSourceElementType(gep);
  *offset = 0;
  for (int i = 1; i < LLVMGetNumOperands(gep); i++) {
    LLVMValueRef index = LLVMGetOperand(gep, (unsigned)i);
    struct constant c;
    if (!constant_of(l, index, &c) || c.object >= 0 ||
        (!LLVMIsAConstantInt(index) && lift_bits(l, LLVMTypeOf(index)) != 64))
      return false;
    int64_t n = LLVMIsAConstantInt(index) ? LLVMConstIntGetSExtValue(index) : c.number;
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

/* `container_of` and `offsetof` as macros are arithmetic on addresses in an object at 0. */
static bool constant_arithmetic(struct lift *l, LLVMValueRef v, struct constant *c) {
  struct constant other;
  unsigned bits = lift_bits(l, LLVMTypeOf(v));
  bool sum = LLVMGetConstOpcode(v) == LLVMAdd;
  if (!bits || !constant_of(l, LLVMGetOperand(v, 0), c) ||
      !constant_of(l, LLVMGetOperand(v, 1), &other))
    return false;
  if (sum && c->object < 0)
    c->object = other.object;
  else if (!sum && c->object >= 0 && c->object == other.object)
    c->object = -1;
  else if (other.object >= 0)
    return false;
  uint64_t number = (uint64_t)c->number, more = (uint64_t)other.number;
  c->number = (int64_t)(sum ? number + more : number - more);
  if (c->object < 0 && bits < 64)
    c->number &= (int64_t)(((uint64_t)1 << bits) - 1);
  return bits == 64 || c->object < 0;
}

/* The bits of a floating-point number. */
static bool number_bits(struct lift *l, LLVMValueRef v, int64_t *bits) {
  LLVMBool inexact;
  double number = LLVMConstRealGetDouble(v, &inexact);
  float small = (float)number;
  uint32_t small_bits;
  memcpy(&small_bits, &small, sizeof small_bits);
  memcpy(bits, &number, sizeof *bits);
  if (lift_bits(l, LLVMTypeOf(v)) == 32)
    *bits = small_bits;
  return lift_bits(l, LLVMTypeOf(v)) && !inexact;
}

static bool constant_of(struct lift *l, LLVMValueRef v, struct constant *c) {
  *c = (struct constant){.object = -1};
  if (LLVMIsAConstantInt(v)) {
    c->number = (int64_t)LLVMConstIntGetZExtValue(v);
    return LLVMGetIntTypeWidth(LLVMTypeOf(v)) <= 64;
  }
  if (LLVMIsAConstantPointerNull(v))
    return true;
  if (LLVMIsAConstantFP(v))
    return number_bits(l, v, &c->number);
  if (!LLVMIsAConstantExpr(v)) {
    c->object = find(l->objects.data, l->objects.length, v);
    return c->object >= 0;
  }
  LLVMOpcode op = LLVMGetConstOpcode(v);
  int64_t offset = 0;
  if (op == LLVMAdd || op == LLVMSub)
    return constant_arithmetic(l, v, c);
  if (op == LLVMGetElementPtr ? !constant_offset(l, v, &offset) : !keeps_address(l, v))
    return false;
  if (!constant_of(l, LLVMGetOperand(v, 0), c))
    return false;
  c->number = (int64_t)((uint64_t)c->number + (uint64_t)offset);
  return true;
}

/* LLVM's C interface gives numbers of more than 64 bits as text only. */
static void wide_constant(LLVMValueRef v, int part, struct str *to) {
  char *text = LLVMPrintValueToString(v);
  const char *digits = strchr(text, ' ');
  bool minus = digits && digits[1] == '-';
  unsigned __int128 n = 0;
  for (digits = digits ? digits + 1 + minus : ""; *digits >= '0' && *digits <= '9'; digits++)
    n = n * 10 + (unsigned)(*digits - '0');
  n = minus ? -n : n;
  str_format(to, " #%llu", (unsigned long long)(part ? n >> 64 : n));
  LLVMDisposeMessage(text);
}

/* Part of a constant struct or array. */
static bool constant_part(struct lift *l, LLVMValueRef v, int part, struct str *to) {
  for (unsigned i = 0;; i++) {
    LLVMValueRef element = LLVMGetAggregateElement(v, i);
    int parts = element ? lift_parts(l, LLVMTypeOf(element)) : 0;
    if (!parts)
      return false;
    if (part < parts)
      return lift_operand_part(l, element, part, to);
    part -= parts;
  }
}

/* Taking structs to pieces and putting them together needs no lines: whoever uses a part names it. */
bool lift_operand_part(struct lift *l, LLVMValueRef v, int part, struct str *to) {
  if (LLVMIsAExtractValueInst(v)) {
    LLVMValueRef whole = LLVMGetOperand(v, 0);
    int first = lift_part_at(l, LLVMTypeOf(whole), LLVMGetIndices(v), LLVMGetNumIndices(v));
    return lift_operand_part(l, whole, first + part, to);
  }
  if (LLVMIsAInsertValueInst(v)) {
    LLVMValueRef whole = LLVMGetOperand(v, 0), member = LLVMGetOperand(v, 1);
    int first = lift_part_at(l, LLVMTypeOf(whole), LLVMGetIndices(v), LLVMGetNumIndices(v));
    bool in = part >= first && part < first + lift_parts(l, LLVMTypeOf(member));
    return lift_operand_part(l, in ? member : whole, in ? part - first : part, to);
  }
  if (LLVMIsAInstruction(v) || LLVMIsAArgument(v)) {
    str_format(to, " %%%d", lift_value_number(v) + part);
    return true;
  }
  if (LLVMIsUndef(v) || LLVMIsPoison(v)) {
    str_append(to, " ?");
    return true;
  }
  if (lift_parts(l, LLVMTypeOf(v)) <= 1)
    return lift_operand(l, v, to);
  if (LLVMIsNull(v))
    str_append(to, " #0");
  else if (LLVMIsAConstantInt(v))
    wide_constant(v, part, to);
  else
    return constant_part(l, v, part, to);
  return true;
}

bool lift_operand(struct lift *l, LLVMValueRef v, struct str *to) {
  struct constant c;
  while (keeps_address(l, v))
    v = LLVMGetOperand(v, 0);
  if (LLVMIsAInstruction(v) || LLVMIsAArgument(v)) {
    return lift_operand_part(l, v, 0, to);
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
  } else if (constant_of(l, v, &c) && c.object >= 0) {
    str_format(to, " @%d+%lld", c.object, (long long)c.number);
  } else if (constant_of(l, v, &c)) {
    str_format(to, " #%llu", (unsigned long long)c.number);
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
  bool known = true;
  int parts = lift_parts(l, t);
  for (int k = 0; k < (parts ? parts : 1); k++) {
    struct str text = {0};
    known = lift_operand_part(l, v, k, &text) && known;
    if (known)
      str_format(&l->out, "init %d %llu %llu%s\n", object,
                 (unsigned long long)offset + 8 * (unsigned)k,
                 (unsigned long long)(parts > 1 ? 8 : lift_size(l, t)), str_text(&text));
    str_free(&text);
  }
  return known;
}
