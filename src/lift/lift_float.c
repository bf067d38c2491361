/* Floating-point numbers: their bits are loaded, stored, passed on and compared as integers; what is
 * computed with them is not known, which does not matter where it is only printed. */
#include "lift/lift_internal.h"
#include <string.h>

static bool is_arithmetic(LLVMOpcode op) {
  static const LLVMOpcode ops[] = {LLVMFAdd,  LLVMFSub,    LLVMFMul,   LLVMFDiv,
                                   LLVMFRem,  LLVMFNeg,    LLVMSIToFP, LLVMUIToFP,
                                   LLVMFPExt, LLVMFPTrunc, LLVMFPToSI, LLVMFPToUI};
  for (unsigned k = 0; k < sizeof ops / sizeof *ops; k++)
    if (ops[k] == op)
      return true;
  return false;
}

static bool prints(LLVMValueRef call) {
  static const char *const names[] = {"printf", "fprintf", "__printf_chk", "__fprintf_chk"};
  size_t n;
  const char *name = LLVMGetValueName2(LLVMGetCalledValue(call), &n);
  for (unsigned k = 0; k < sizeof names / sizeof *names; k++)
    if (!strcmp(name, names[k]))
      return true;
  return false;
}

enum { DEPTH_MAX = 50 };

static bool is_only_printed(LLVMValueRef v, int depth) {
  for (LLVMUseRef u = LLVMGetFirstUse(v); u; u = LLVMGetNextUse(u)) {
    LLVMValueRef user = LLVMGetUser(u);
    if (!LLVMIsAInstruction(user) || depth > DEPTH_MAX)
      return false;
    if (LLVMIsACallInst(user)
            ? !prints(user)
            : !is_arithmetic(LLVMGetInstructionOpcode(user)) || !is_only_printed(user, depth + 1))
      return false;
  }
  return true;
}

bool lift_float_is_only_printed(LLVMValueRef i) {
  return is_arithmetic(LLVMGetInstructionOpcode(i)) && is_only_printed(i, 0);
}

/* ---- comparing ------------------------------------------------------------------------------ */

struct comparison {
  struct lift *l;
  LLVMValueRef i;
  unsigned bits;
  int *extra;
};

/* One more line: the number of its value. */
static int emit(struct comparison *c, enum cir_op op, unsigned bits, const char *operands) {
  lift_begin(c->l, c->i, op);
  str_format(&c->l->out, " %%%d %u%s\n", *c->extra, bits, operands);
  return (*c->extra)++;
}

static int emit_pair(struct comparison *c, enum cir_op op, unsigned bits, int a, int b) {
  struct str text = {0};
  str_format(&text, " %%%d %%%d", a, b);
  int value = emit(c, op, bits, str_text(&text));
  str_free(&text);
  return value;
}

/* The same with a number on the right, or on the left. */
static int emit_number(struct comparison *c, enum cir_op op, const char *a, uint64_t b, bool left) {
  struct str text = {0};
  if (left)
    str_format(&text, " #%llu%s", (unsigned long long)b, a);
  else
    str_format(&text, "%s #%llu", a, (unsigned long long)b);
  int value = emit(c, op, c->bits, str_text(&text));
  str_free(&text);
  return value;
}

/* Sign and magnitude become an integer of the same order; both zeros are 0.  *nan: it is no number. */
static int ordered(struct comparison *c, const char *operand, int *nan) {
  uint64_t sign = (uint64_t)1 << (c->bits - 1);
  uint64_t infinity = c->bits == 64 ? (uint64_t)0x7ff << 52 : (uint64_t)0xff << 23;
  struct str text = {0};
  int magnitude = emit_number(c, CIR_AND, operand, sign - 1, false);
  int negative = emit_number(c, CIR_SLT, operand, 0, false);
  str_format(&text, " %%%d", magnitude);
  int minus = emit_number(c, CIR_SUB, str_text(&text), 0, true);
  *nan = emit_number(c, CIR_ULT, str_text(&text), infinity, true);
  str_clear(&text);
  str_format(&text, " %%%d %%%d %%%d", negative, minus, magnitude);
  int value = emit(c, CIR_SELECT, c->bits, str_text(&text));
  str_free(&text);
  return value;
}

/* LLVM numbers its predicates by what they hold for: 1 equal, 2 greater, 4 less, 8 not comparable. */
bool lift_float_compare(struct lift *l, LLVMValueRef i, int *extra) {
  static const struct {
    enum cir_op op;
    bool swapped;
  } table[] = {{CIR_NE, false},  {CIR_EQ, false},  {CIR_SLT, true}, {CIR_SLE, true},
               {CIR_SLT, false}, {CIR_SLE, false}, {CIR_NE, false}, {CIR_EQ, false}};
  unsigned holds = (unsigned)LLVMGetFCmpPredicate(i);
  struct comparison c = {l, i, lift_bits(l, LLVMTypeOf(LLVMGetOperand(i, 0))), NULL};
  c.extra = extra;
  struct str a = {0}, b = {0};
  bool fine = (c.bits == 32 || c.bits == 64) && lift_operand(l, LLVMGetOperand(i, 0), &a) &&
              lift_operand(l, LLVMGetOperand(i, 1), &b);
  if (fine) {
    int nan_a, nan_b, ka = ordered(&c, str_text(&a), &nan_a),
                      kb = ordered(&c, str_text(&b), &nan_b);
    int nan = emit_pair(&c, CIR_OR, 1, nan_a, nan_b), same = holds & 7, result;
    bool always = same == 7, never = same == 0;
    if (always || never) /* a comparison of something with itself */
      result = emit_pair(&c, table[same].op, c.bits, ka, ka);
    else
      result = table[same].swapped ? emit_pair(&c, table[same].op, c.bits, kb, ka)
                                   : emit_pair(&c, table[same].op, c.bits, ka, kb);
    lift_begin(l, i, CIR_SELECT);
    str_format(&l->out, " %%%d 1 %%%d #%d %%%d\n", lift_value_number(i), nan, (holds & 8) != 0,
               result);
  }
  str_free(&a);
  str_free(&b);
  return fine;
}
