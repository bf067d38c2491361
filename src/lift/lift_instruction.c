/* One instruction, one line (address computations: several). */
#include "lift/lift_internal.h"
#include <string.h>

static const char *const op_text[] = {
#define CIR_OP(identifier, text, shape) text,
#define CIR_ORDER(identifier, text)
#define CIR_RMW(identifier, text)
#include "cir/cir.def"
#undef CIR_OP
#undef CIR_ORDER
#undef CIR_RMW
};

static const char *const rmw_text[] = {
#define CIR_OP(identifier, text, shape)
#define CIR_ORDER(identifier, text)
#define CIR_RMW(identifier, text) text,
#include "cir/cir.def"
#undef CIR_OP
#undef CIR_ORDER
#undef CIR_RMW
};

static const char *const order_texts[] = {
#define CIR_OP(identifier, text, shape)
#define CIR_ORDER(identifier, text) text,
#define CIR_RMW(identifier, text)
#include "cir/cir.def"
#undef CIR_OP
#undef CIR_ORDER
#undef CIR_RMW
};

static const char *order_text(LLVMAtomicOrdering order) {
  switch (order) {
  case LLVMAtomicOrderingUnordered:
  case LLVMAtomicOrderingMonotonic:
    return order_texts[ORDER_RELAXED];
  case LLVMAtomicOrderingAcquire:
    return order_texts[ORDER_ACQUIRE];
  case LLVMAtomicOrderingRelease:
    return order_texts[ORDER_RELEASE];
  case LLVMAtomicOrderingAcquireRelease:
    return order_texts[ORDER_ACQ_REL];
  case LLVMAtomicOrderingSequentiallyConsistent:
    return order_texts[ORDER_SEQ_CST];
  default:
    return order_texts[ORDER_NA];
  }
}

void lift_begin(struct lift *l, LLVMValueRef i, enum cir_op op) {
  struct lift_place p = lift_place_of(l, i);
  str_format(&l->out, "%s %d %u %u", op_text[op], p.file < 0 ? 0 : p.file, p.line, p.column);
}

static void unsupported(struct lift *l, LLVMValueRef i, const char *what) {
  lift_begin(l, i, CIR_UNSUPPORTED);
  str_format(&l->out, " %s\n", what);
}

/* A value that nobody looks at. */
static void undefined(struct lift *l, LLVMValueRef i) {
  unsigned bits = lift_bits(l, LLVMTypeOf(i));
  lift_begin(l, i, CIR_ZEXT);
  str_format(&l->out, " %%%d %u %u ?\n", lift_value_number(i), bits, bits);
}

/* A line whose last words are operands; unsupported if one of them cannot be written. */
struct line {
  struct str text;
  bool bad;
};

static void put(struct lift *l, struct line *x, LLVMValueRef v) {
  x->bad = !lift_operand(l, v, &x->text) || x->bad;
}

static void finish(struct lift *l, LLVMValueRef i, enum cir_op op, struct line *x) {
  if (x->bad) {
    unsupported(l, i, "a constant like this (a vector, ...)");
  } else {
    lift_begin(l, i, op);
    str_format(&l->out, "%s\n", str_text(&x->text));
  }
  str_free(&x->text);
}

static void binary(struct lift *l, LLVMValueRef i, enum cir_op op, bool swapped, int *extra) {
  unsigned bits = lift_bits(l, LLVMTypeOf(LLVMGetOperand(i, 0)));
  if (!bits) {
    if (!lift_wide_binary(l, i, op, swapped, extra))
      unsupported(l, i, "arithmetic on vectors, on more than 128 bits or a division of 128 bits");
    return;
  }
  struct line x = {0};
  str_format(&x.text, " %%%d %u", lift_value_number(i), bits);
  put(l, &x, LLVMGetOperand(i, swapped));
  put(l, &x, LLVMGetOperand(i, !swapped));
  finish(l, i, op, &x);
}

/* Of a floating-point number: the other sign. */
static void negate(struct lift *l, LLVMValueRef i) {
  unsigned bits = lift_bits(l, LLVMTypeOf(i));
  struct line x = {.bad = !bits};
  str_format(&x.text, " %%%d %u", lift_value_number(i), bits);
  put(l, &x, LLVMGetOperand(i, 0));
  str_format(&x.text, " #%llu", bits ? 1ull << (bits - 1) : 0);
  finish(l, i, CIR_XOR, &x);
}

static void compare(struct lift *l, LLVMValueRef i, int *extra) {
  static const struct {
    LLVMIntPredicate predicate;
    enum cir_op op;
    bool swapped;
  } table[] = {{LLVMIntEQ, CIR_EQ, false},   {LLVMIntNE, CIR_NE, false},
               {LLVMIntUGT, CIR_ULT, true},  {LLVMIntUGE, CIR_ULE, true},
               {LLVMIntULT, CIR_ULT, false}, {LLVMIntULE, CIR_ULE, false},
               {LLVMIntSGT, CIR_SLT, true},  {LLVMIntSGE, CIR_SLE, true},
               {LLVMIntSLT, CIR_SLT, false}, {LLVMIntSLE, CIR_SLE, false}};
  for (unsigned k = 0; k < sizeof table / sizeof *table; k++)
    if (table[k].predicate == LLVMGetICmpPredicate(i))
      binary(l, i, table[k].op, table[k].swapped, extra);
}

static void cast(struct lift *l, LLVMValueRef i, enum cir_op op, int *extra) {
  unsigned to = lift_bits(l, LLVMTypeOf(i)), from = lift_bits(l, LLVMTypeOf(LLVMGetOperand(i, 0)));
  if (!to || !from) {
    if (!lift_wide_cast(l, i, op, extra))
      unsupported(l, i, "a conversion of this kind (vectors, more than 128 bits)");
    return;
  }
  struct line x = {0};
  op = to == from ? CIR_ZEXT : op;
  str_format(&x.text, " %%%d %u %u", lift_value_number(i), to, from);
  put(l, &x, LLVMGetOperand(i, 0));
  finish(l, i, op, &x);
}

/* Bytes of an access, 0 if it is none that we know. */
static unsigned access_bytes(struct lift *l, LLVMTypeRef t) {
  unsigned bits = lift_bits(l, t);
  return bits == 1 ? 1 : bits == 8 || bits == 16 || bits == 32 || bits == 64 ? bits / 8 : 0;
}

/* The same for atomics, which may have 16 bytes. */
static unsigned atomic_bytes(struct lift *l, LLVMTypeRef t) {
  bool wide = LLVMGetTypeKind(t) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(t) == 128;
  return wide ? 16 : access_bytes(l, t);
}

/* All words of a value. */
static void put_value(struct lift *l, struct line *x, LLVMValueRef v) {
  int parts = lift_parts(l, LLVMTypeOf(v));
  for (int k = 0; k < (parts ? parts : 1); k++)
    x->bad = !lift_operand_part(l, v, k, &x->text) || x->bad;
}

static void access(struct lift *l, LLVMValueRef i, bool is_store, int *extra) {
  LLVMValueRef address = LLVMGetOperand(i, is_store), value = LLVMGetOperand(i, 0);
  LLVMTypeRef t = is_store ? LLVMTypeOf(value) : LLVMTypeOf(i);
  bool is_atomic = LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic;
  unsigned bytes = is_atomic ? atomic_bytes(l, t) : access_bytes(l, t);
  if (!bytes) {
    if (!lift_split_access(l, i, extra))
      unsupported(l, i, "an access of this size or type");
    return;
  }
  struct line x = {0};
  if (!is_store)
    str_format(&x.text, " %%%d", lift_value_number(i));
  str_format(&x.text, " %u %s %s", bytes, order_text(LLVMGetOrdering(i)),
             LLVMGetVolatile(i) ? "v" : "-");
  put(l, &x, address);
  if (is_store)
    put_value(l, &x, value);
  finish(l, i, is_store ? CIR_STORE : CIR_LOAD, &x);
}

static void read_modify_write(struct lift *l, LLVMValueRef i) {
  static const struct {
    LLVMAtomicRMWBinOp op;
    enum cir_rmw rmw;
  } table[] = {{LLVMAtomicRMWBinOpXchg, RMW_XCHG}, {LLVMAtomicRMWBinOpAdd, RMW_ADD},
               {LLVMAtomicRMWBinOpSub, RMW_SUB},   {LLVMAtomicRMWBinOpAnd, RMW_AND},
               {LLVMAtomicRMWBinOpNand, RMW_NAND}, {LLVMAtomicRMWBinOpOr, RMW_OR},
               {LLVMAtomicRMWBinOpXor, RMW_XOR},   {LLVMAtomicRMWBinOpMax, RMW_MAX},
               {LLVMAtomicRMWBinOpMin, RMW_MIN},   {LLVMAtomicRMWBinOpUMax, RMW_UMAX},
               {LLVMAtomicRMWBinOpUMin, RMW_UMIN}};
  unsigned bytes = atomic_bytes(l, LLVMTypeOf(i));
  for (unsigned k = 0; bytes && k < sizeof table / sizeof *table; k++)
    if (table[k].op == LLVMGetAtomicRMWBinOp(i)) {
      struct line x = {0};
      str_format(&x.text, " %%%d %u %s %s", lift_value_number(i), bytes,
                 order_text(LLVMGetOrdering(i)), rmw_text[table[k].rmw]);
      put(l, &x, LLVMGetOperand(i, 0));
      put_value(l, &x, LLVMGetOperand(i, 1));
      finish(l, i, CIR_RMW, &x);
      return;
    }
  unsupported(l, i, "an atomic operation of this kind");
}

static void compare_exchange(struct lift *l, LLVMValueRef i) {
  unsigned bytes = atomic_bytes(l, LLVMTypeOf(LLVMGetOperand(i, 1)));
  if (!bytes) {
    unsupported(l, i, "a compare-and-exchange that is not of 1, 2, 4, 8 or 16 bytes");
    return;
  }
  struct line x = {0};
  str_format(&x.text, " %%%d %u %s %s %s", lift_value_number(i), bytes,
             order_text(LLVMGetCmpXchgSuccessOrdering(i)),
             order_text(LLVMGetCmpXchgFailureOrdering(i)), LLVMGetWeak(i) ? "w" : "s");
  for (unsigned k = 0; k < 3; k++)
    put_value(l, &x, LLVMGetOperand(i, k));
  finish(l, i, CIR_CAS, &x);
}

/* One step of an address computation: base + index * scale, into `dst` (the last) or a new value. */
static void address_step(struct lift *l, LLVMValueRef i, struct str *base, LLVMValueRef index,
                         uint64_t scale, int dst, int *extra, bool *bad) {
  struct str term = {0};
  if (index && LLVMIsAConstantInt(index)) {
    str_format(&term, " #%llu", (unsigned long long)LLVMConstIntGetSExtValue(index) * scale);
  } else if (index) {
    unsigned bits = lift_bits(l, LLVMTypeOf(index));
    struct str text = {0};
    *bad = !bits || !lift_operand(l, index, &text) || *bad;
    if (bits < 64) {
      lift_begin(l, i, CIR_SEXT);
      str_format(&l->out, " %%%d 64 %u%s\n", *extra, bits, str_text(&text));
      str_clear(&text);
      str_format(&text, " %%%d", (*extra)++);
    }
    lift_begin(l, i, CIR_MUL);
    str_format(&l->out, " %%%d 64%s #%llu\n", *extra, str_text(&text), (unsigned long long)scale);
    str_format(&term, " %%%d", (*extra)++);
    str_free(&text);
  } else {
    str_format(&term, " #%llu", (unsigned long long)scale);
  }
  int to = dst >= 0 ? dst : (*extra)++;
  lift_begin(l, i, CIR_ADD);
  str_format(&l->out, " %%%d 64%s%s\n", to, str_text(base), str_text(&term));
  str_clear(base);
  str_format(base, " %%%d", to);
  str_free(&term);
}

static void element_address(struct lift *l, LLVMValueRef i, int *extra) {
  LLVMTypeRef t = LLVMGetGEPSourceElementType(i);
  struct str base = {0};
  bool bad = !lift_operand(l, LLVMGetOperand(i, 0), &base);
  int count = LLVMGetNumOperands(i);
  size_t before = l->out.length;
  if (LLVMGetTypeKind(LLVMTypeOf(i)) != LLVMPointerTypeKind)
    bad = true;
  for (int k = 1; !bad && k < count; k++) {
    LLVMValueRef index = LLVMGetOperand(i, (unsigned)k);
    int dst = k == count - 1 ? lift_value_number(i) : -1;
    if (k == 1) {
      address_step(l, i, &base, index, lift_size(l, t), dst, extra, &bad);
    } else if (LLVMGetTypeKind(t) == LLVMStructTypeKind) {
      unsigned field = (unsigned)LLVMConstIntGetZExtValue(index);
      address_step(l, i, &base, NULL, LLVMOffsetOfElement(l->data, t, field), dst, extra, &bad);
      t = LLVMStructGetTypeAtIndex(t, field);
    } else {
      t = LLVMGetElementType(t);
      address_step(l, i, &base, index, lift_size(l, t), dst, extra, &bad);
    }
  }
  if (bad) { /* all of it: a step that could be written is of no use alone */
    str_truncate(&l->out, before);
    unsupported(l, i, "an address computation of this kind");
  }
  str_free(&base);
}

static void local_variable(struct lift *l, LLVMValueRef i) {
  struct line x = {0};
  int layout = lift_layout(l, LLVMGetAllocatedType(i));
  str_format(&x.text, " %%%d %d %s", lift_value_number(i), layout, lift_stays_local(i) ? "p" : "s");
  put(l, &x, LLVMGetOperand(i, 0));
  str_format(&x.text, " %s", lift_variable_name(i));
  finish(l, i, CIR_ALLOCA, &x);
}

/* The kernel hides values from the compiler with an empty one: asm("" : "+r"(x)). */
static bool hides_value(LLVMValueRef i, LLVMValueRef callee, size_t length) {
  size_t n;
  const char *constraints = LLVMGetInlineAsmConstraintString(callee, &n);
  return !length && LLVMGetNumArgOperands(i) == 1 && !strncmp(constraints, "=r,0", 4) &&
         LLVMTypeOf(i) == LLVMTypeOf(LLVMGetOperand(i, 0));
}

static void assembly(struct lift *l, LLVMValueRef i, LLVMValueRef callee, int *extra) {
  size_t length;
  const char *text = LLVMGetInlineAsmAsmString(callee, &length);
  enum cir_order order;
  bool has_result = LLVMGetTypeKind(LLVMTypeOf(i)) != LLVMVoidTypeKind;
  if (hides_value(i, callee, length)) {
    cast(l, i, CIR_ZEXT, extra);
  } else if (has_result || (length && LLVMGetNumArgOperands(i)) ||
             !lift_asm_order(text, length, &order)) {
    unsupported(l, i, "inline assembly like this");
  } else if (order != ORDER_NA) {
    struct line x = {0};
    str_format(&x.text, " %s", order_texts[order]);
    finish(l, i, CIR_FENCE, &x);
  }
}

/* Matters only where others may know the variable. */
static void lifetime(struct lift *l, LLVMValueRef i, const char *name) {
  LLVMValueRef variable = LLVMGetOperand(i, 1);
  if (!LLVMIsAAllocaInst(variable) || lift_stays_local(variable))
    return;
  struct line x = {0};
  put(l, &x, variable);
  finish(l, i, strncmp(name, "llvm.lifetime.start", 19) ? CIR_END_OF : CIR_BEGIN, &x);
}

static void call(struct lift *l, LLVMValueRef i, int *extra) {
  LLVMValueRef callee = LLVMGetCalledValue(i);
  LLVMTypeRef t = LLVMTypeOf(i);
  size_t n;
  const char *name = LLVMGetValueName2(callee, &n);
  static const char *const ignored[] = {"llvm.dbg.", "llvm.experimental.noalias", "llvm.donothing",
                                        "llvm.var.annotation"};
  for (unsigned k = 0; LLVMIsAFunction(callee) && k < sizeof ignored / sizeof *ignored; k++)
    if (!strncmp(name, ignored[k], strlen(ignored[k])))
      return;
  if (lift_is_lifetime(i)) {
    lifetime(l, i, name);
    return;
  }
  if (LLVMIsAInlineAsm(callee)) {
    assembly(l, i, callee, extra);
    return;
  }
  if (LLVMIsAFunction(callee) && lift_overflow(l, i, name, extra))
    return;
  int parts = LLVMGetTypeKind(t) == LLVMVoidTypeKind ? 0 : lift_parts(l, t);
  struct line x = {0};
  if (LLVMGetTypeKind(t) == LLVMVoidTypeKind)
    str_append(&x.text, " %- 0");
  else
    str_format(&x.text, " %%%d", lift_value_number(i));
  if (parts > 1)
    str_format(&x.text, "+%d 64", parts - 1);
  else if (LLVMGetTypeKind(t) != LLVMVoidTypeKind)
    str_format(&x.text, " %u", lift_bits(l, t));
  put(l, &x, callee);
  for (unsigned k = 0; k < LLVMGetNumArgOperands(i); k++) {
    LLVMValueRef v = LLVMGetOperand(i, k);
    bool is_value = LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMMetadataTypeKind;
    int words = is_value ? lift_parts(l, LLVMTypeOf(v)) : 0;
    for (int p = 0; p < (words ? words : 1); p++)
      if (!is_value || !lift_operand_part(l, v, p, &x.text))
        str_append(&x.text, " ?");
  }
  finish(l, i, CIR_CALL, &x);
}

static void phi_part(struct lift *l, LLVMValueRef i, int part, unsigned bits) {
  struct line x = {0};
  str_format(&x.text, " %%%d %u", lift_value_number(i) + part, bits);
  for (unsigned k = 0; k < LLVMCountIncoming(i); k++) {
    struct str v = {0};
    x.bad = !lift_operand_part(l, LLVMGetIncomingValue(i, k), part, &v) || x.bad;
    str_format(&x.text, " %d:%s", lift_block_number(LLVMGetIncomingBlock(i, k)),
               v.length ? str_text(&v) + 1 : "");
    str_free(&v);
  }
  finish(l, i, CIR_PHI, &x);
}

static void select_part(struct lift *l, LLVMValueRef i, int part, unsigned bits) {
  struct line x = {0};
  str_format(&x.text, " %%%d %u", lift_value_number(i) + part, bits);
  put(l, &x, LLVMGetOperand(i, 0));
  for (unsigned k = 1; k < 3; k++)
    x.bad = !lift_operand_part(l, LLVMGetOperand(i, k), part, &x.text) || x.bad;
  finish(l, i, CIR_SELECT, &x);
}

/* A line for each part of the result. */
static void each_part(struct lift *l, LLVMValueRef i,
                      void (*write)(struct lift *l, LLVMValueRef i, int part, unsigned bits)) {
  struct lift_part p = {0};
  int parts = lift_parts(l, LLVMTypeOf(i));
  for (int k = 0; k < (parts ? parts : 1); k++) {
    lift_part(l, LLVMTypeOf(i), k, &p);
    write(l, i, k, p.bits);
  }
}

static void branch(struct lift *l, LLVMValueRef i) {
  struct line x = {0};
  if (!LLVMIsConditional(i)) {
    str_format(&x.text, " %d", lift_block_number(LLVMGetSuccessor(i, 0)));
    finish(l, i, CIR_BR, &x);
    return;
  }
  put(l, &x, LLVMGetCondition(i));
  str_format(&x.text, " %d %d", lift_block_number(LLVMGetSuccessor(i, 0)),
             lift_block_number(LLVMGetSuccessor(i, 1)));
  finish(l, i, CIR_CBR, &x);
}

static void switch_(struct lift *l, LLVMValueRef i) {
  struct line x = {0};
  str_format(&x.text, " %u", lift_bits(l, LLVMTypeOf(LLVMGetOperand(i, 0))));
  put(l, &x, LLVMGetOperand(i, 0));
  str_format(&x.text, " %d", lift_block_number(LLVMGetSwitchDefaultDest(i)));
  for (unsigned k = 1; k < LLVMGetNumSuccessors(i); k++)
    str_format(&x.text, " %llu:%d", LLVMConstIntGetZExtValue(LLVMGetOperand(i, 2 * k)),
               lift_block_number(LLVMGetSuccessor(i, k)));
  finish(l, i, CIR_SWITCH, &x);
}

static void operands(struct lift *l, LLVMValueRef i, enum cir_op op) {
  struct line x = {0};
  for (int k = 0; k < LLVMGetNumOperands(i); k++) {
    LLVMValueRef v = LLVMGetOperand(i, (unsigned)k);
    int parts = lift_parts(l, LLVMTypeOf(v));
    for (int p = 0; p < (parts ? parts : 1); p++)
      x.bad = !lift_operand_part(l, v, p, &x.text) || x.bad;
  }
  finish(l, i, op, &x);
}

static void fence(struct lift *l, LLVMValueRef i) {
  struct line x = {0};
  str_format(&x.text, " %s", order_text(LLVMGetOrdering(i)));
  if (LLVMIsAtomicSingleThread(i)) /* a signal fence orders nothing between threads */
    str_free(&x.text);
  else
    finish(l, i, CIR_FENCE, &x);
}

/* opcode of LLVM -> ours, for what needs no further thought */
static const struct {
  LLVMOpcode opcode;
  enum cir_op op;
} arithmetic[] = {{LLVMAdd, CIR_ADD},   {LLVMSub, CIR_SUB},   {LLVMMul, CIR_MUL},
                  {LLVMUDiv, CIR_UDIV}, {LLVMSDiv, CIR_SDIV}, {LLVMURem, CIR_UREM},
                  {LLVMSRem, CIR_SREM}, {LLVMShl, CIR_SHL},   {LLVMLShr, CIR_LSHR},
                  {LLVMAShr, CIR_ASHR}, {LLVMAnd, CIR_AND},   {LLVMOr, CIR_OR},
                  {LLVMXor, CIR_XOR}},
  casts[] = {{LLVMZExt, CIR_ZEXT},      {LLVMSExt, CIR_SEXT},     {LLVMTrunc, CIR_TRUNC},
             {LLVMPtrToInt, CIR_TRUNC}, {LLVMIntToPtr, CIR_ZEXT}, {LLVMBitCast, CIR_ZEXT},
             {LLVMFreeze, CIR_ZEXT}};

/* One case for each instruction. */ /* NOLINTNEXTLINE(readability-function-size) */
/* False: it has nothing to do with floating-point numbers. */
static bool lift_float(struct lift *l, LLVMValueRef i, LLVMOpcode opcode, int *extra) {
  switch (opcode) {
  case LLVMFCmp:
    if (!lift_float_compare(l, i, extra))
      unsupported(l, i, "a comparison of such numbers");
    return true;
  case LLVMFNeg:
    negate(l, i);
    return true;
  case LLVMFAdd:
  case LLVMFSub:
  case LLVMFMul:
  case LLVMFDiv:
  case LLVMFRem:
  case LLVMSIToFP:
  case LLVMUIToFP:
  case LLVMFPToSI:
  case LLVMFPToUI:
  case LLVMFPExt:
  case LLVMFPTrunc:
    if (lift_float_is_only_printed(i) && lift_bits(l, LLVMTypeOf(i)))
      undefined(l, i);
    else
      unsupported(l, i, "floating-point arithmetic");
    return true;
  default:
    return false;
  }
}

void lift_instruction(struct lift *l, LLVMValueRef i, int *extra) {
  LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
  for (unsigned k = 0; k < sizeof arithmetic / sizeof *arithmetic; k++)
    if (arithmetic[k].opcode == opcode) {
      binary(l, i, arithmetic[k].op, false, extra);
      return;
    }
  for (unsigned k = 0; k < sizeof casts / sizeof *casts; k++)
    if (casts[k].opcode == opcode) {
      cast(l, i, casts[k].op, extra);
      return;
    }
  switch (opcode) {
  case LLVMICmp:
    compare(l, i, extra);
    return;
  case LLVMLoad:
  case LLVMStore:
    access(l, i, opcode == LLVMStore, extra);
    return;
  case LLVMAtomicRMW:
    read_modify_write(l, i);
    return;
  case LLVMAtomicCmpXchg:
    compare_exchange(l, i);
    return;
  case LLVMFence:
    fence(l, i);
    return;
  case LLVMGetElementPtr:
    element_address(l, i, extra);
    return;
  case LLVMAlloca:
    local_variable(l, i);
    return;
  case LLVMCall:
    call(l, i, extra);
    return;
  case LLVMPHI:
    each_part(l, i, phi_part);
    return;
  case LLVMSelect:
    each_part(l, i, select_part);
    return;
  case LLVMBr:
    branch(l, i);
    return;
  case LLVMSwitch:
    switch_(l, i);
    return;
  case LLVMRet:
    operands(l, i, CIR_RET);
    return;
  case LLVMUnreachable:
    operands(l, i, CIR_UNREACHABLE);
    return;
  case LLVMExtractValue:
  case LLVMInsertValue:
    if (lift_parts(l, LLVMTypeOf(LLVMGetOperand(i, 0))))
      return; /* its users name the parts themselves */
    break;
  default:
    break;
  }
  if (!lift_float(l, i, opcode, extra))
    unsupported(l, i, "an instruction like this");
}
