#include "instrument/asm_operand.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One element of the constraint string, without its leading '=', '&', '*'. */
static void read_location(struct asm_constraint *c, const char *s) {
  char name[16] = "";
  if (s[0] == '{') {
    snprintf(name, sizeof name, "%.*s", (int)strcspn(s + 1, "}"), s + 1);
    if (strncmp(name, "@cc", 3) == 0) {
      snprintf(c->flag, sizeof c->flag, "%s", name + 3);
      return;
    }
    /* LLVM writes {ax} for a, {r8} for r8. */
    bool numbered = name[0] == 'r' && isdigit((unsigned char)name[1]);
    snprintf(c->reg, sizeof c->reg, "%s", numbered ? name + 1 : name);
    size_t n = strlen(c->reg);
    if ((c->reg[0] == 'r' || c->reg[0] == 'e') && n == 3)
      memmove(c->reg, c->reg + 1, n);
  }
}

static struct asm_constraint *new_constraint(struct asm_call *a) {
  struct asm_constraint *c = &a->constraints[a->count++];
  *c = (struct asm_constraint){.argument = -1, .result = -1, .tied = -1};
  return c;
}

/* What the statements may overwrite they may also use.  Behind the operands, so that these keep their
 * numbers. */
static struct asm_constraint *add_scratch(struct asm_call *a) {
  if (a->count == ASM_CONSTRAINTS_MAX)
    return NULL;
  struct asm_constraint *c = new_constraint(a);
  c->is_scratch = c->is_output = true;
  return c;
}

static void read_clobber(struct asm_call *a, const char *s) {
  static const char *const others[] = {"{memory}", "{cc}", "{flags}", "{fpsr}", "{dirflag}"};
  a->clobbers_memory |= strcmp(s, "{memory}") == 0;
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (strcmp(s, others[i]) == 0)
      return;
  struct asm_constraint *c = add_scratch(a);
  if (c)
    read_location(c, s);
}

static bool read_constraint(struct asm_call *a, const char *s, int *argument, int *result) {
  if (s[0] == '~') {
    read_clobber(a, s + 1);
    return true;
  }
  if (s[0] == '!' || a->count == ASM_CONSTRAINTS_MAX) /* asm goto */
    return false;
  struct asm_constraint *c = new_constraint(a);
  for (; *s && strchr("=&*%+", *s); s++) {
    c->is_output |= *s == '=';
    c->is_memory |= *s == '*';
  }
  read_location(c, s);
  if (c->is_output && !c->is_memory)
    c->result = (*result)++;
  else
    c->argument = (*argument)++;
  if (!c->is_output && isdigit((unsigned char)*s)) {
    int output = atoi(s);
    if (output >= a->count)
      return false;
    c->tied = output;
    a->constraints[output].tied = a->count - 1;
  }
  return true;
}

bool asm_call_init(struct asm_call *a, struct pass *pass, LLVMValueRef call) {
  *a = (struct asm_call){.pass = pass, .call = call};
  size_t length;
  const char *text = LLVMGetInlineAsmConstraintString(LLVMGetCalledValue(call), &length);
  int argument = 0, result = 0;
  bool understood = true;
  for (const char *p = text, *end = text + length; p < end;) {
    size_t n = 0;
    for (int depth = 0; p + n < end && (p[n] != ',' || depth); n++)
      depth += (p[n] == '{') - (p[n] == '}');
    char one[64];
    snprintf(one, sizeof one, "%.*s", (int)n, p);
    understood &= read_constraint(a, one, &argument, &result);
    p += n + 1;
  }
  return understood;
}

static unsigned result_count(const struct asm_call *a) {
  unsigned count = 0;
  for (int i = 0; i < a->count; i++)
    count += a->constraints[i].result >= 0;
  return count;
}

static LLVMTypeRef result_type(const struct asm_call *a, const struct asm_constraint *c) {
  LLVMTypeRef type = LLVMTypeOf(a->call);
  return result_count(a) == 1 ? type : LLVMStructGetTypeAtIndex(type, (unsigned)c->result);
}

void asm_call_begin(struct asm_call *a, bool emit) {
  a->emit = emit;
  a->has_flags = a->has_sign = a->has_carry = false;
  a->zero = a->negative = a->carry = NULL;
  for (int i = 0; i < a->count; i++) {
    struct asm_constraint *c = &a->constraints[i];
    c->is_set = false;
    c->value =
        c->is_memory || c->argument < 0 ? NULL : LLVMGetOperand(a->call, (unsigned)c->argument);
  }
}

static struct asm_constraint *by_number(const struct asm_call *a, int number) {
  if (number < 0 || number >= a->count || a->constraints[number].is_scratch)
    return NULL;
  return (struct asm_constraint *)&a->constraints[number];
}

/* The input of a fixed register, or else its output. */
static struct asm_constraint *by_register(const struct asm_call *a, const char *reg, bool output) {
  for (int i = 0; i < a->count; i++) {
    struct asm_constraint *c = (struct asm_constraint *)&a->constraints[i];
    if (!c->reg[0] || strcmp(c->reg, reg) != 0)
      continue;
    if (c->is_output == output || c->is_scratch)
      return c;
    if (!output && c->tied >= 0)
      return &((struct asm_call *)a)->constraints[c->tied];
  }
  return NULL;
}

static struct asm_constraint *constraint_of(const struct asm_call *a, const struct asm_operand *o) {
  if (o->kind == ASM_NUMBERED)
    return by_number(a, o->number);
  return o->kind == ASM_REGISTER ? by_register(a, o->reg, false) : NULL;
}

/* The register's value: an output that has been set, or the input, or the input tied to it. */
static LLVMValueRef held_by(const struct asm_call *a, const struct asm_constraint *c) {
  if (!c)
    return NULL;
  if (c->value)
    return c->value;
  return c->tied >= 0 ? a->constraints[c->tied].value : NULL;
}

static bool is_known(const struct asm_call *a, const struct asm_constraint *c) {
  return held_by(a, c) || (c && c->is_set);
}

bool asm_is_memory(const struct asm_call *a, const struct asm_operand *o) {
  const struct asm_constraint *c = constraint_of(a, o);
  if (o->indirect)
    return c && !c->is_memory && is_known(a, c);
  return o->kind == ASM_NUMBERED && c && c->is_memory;
}

bool asm_has_value(const struct asm_call *a, const struct asm_operand *o) {
  if (o->indirect)
    return false;
  if (o->kind == ASM_IMMEDIATE)
    return true;
  const struct asm_constraint *c = constraint_of(a, o);
  return c && !c->is_memory && is_known(a, c);
}

bool asm_register_has_value(const struct asm_call *a, const char *reg) {
  return is_known(a, by_register(a, reg, false));
}

static unsigned type_bytes(const struct asm_call *a, LLVMTypeRef type) {
  if (!LLVMTypeIsSized(type))
    return 0;
  unsigned bytes = pass_scalar_bytes(a->pass, type);
  uint64_t bits = LLVMSizeOfTypeInBits(a->pass->layout, type);
  return bytes ? bytes : bits == 128 || bits == 256 ? (unsigned)(bits / 8) : 0;
}

unsigned asm_operand_bytes(const struct asm_call *a, const struct asm_operand *o) {
  const struct asm_constraint *c = constraint_of(a, o);
  if (!c || o->indirect)
    return 0;
  if (o->kind == ASM_REGISTER || (o->bytes && !c->is_memory))
    return o->bytes;
  if (!c->is_memory)
    return c->result >= 0
               ? type_bytes(a, result_type(a, c))
               : type_bytes(a, LLVMTypeOf(LLVMGetOperand(a->call, (unsigned)c->argument)));
  unsigned kind = LLVMGetEnumAttributeKindForName("elementtype", 11);
  LLVMAttributeRef element = LLVMGetCallSiteEnumAttribute(a->call, (unsigned)c->argument + 1, kind);
  return element ? type_bytes(a, LLVMGetTypeAttributeValue(element)) : 0;
}

LLVMValueRef asm_address(struct asm_call *a, const struct asm_operand *o) {
  struct pass *pass = a->pass;
  const struct asm_constraint *c = constraint_of(a, o);
  LLVMValueRef address =
      c->is_memory ? LLVMGetOperand(a->call, (unsigned)c->argument) : held_by(a, c);
  if (LLVMGetTypeKind(LLVMTypeOf(address)) != LLVMPointerTypeKind)
    address = LLVMBuildIntToPtr(pass->builder, address, pass->ptr, "");
  if (o->displacement) {
    LLVMValueRef offset = LLVMConstInt(pass->i64, (uint64_t)o->displacement, true);
    address = LLVMBuildGEP2(pass->builder, pass->i8, address, &offset, 1, "");
  }
  return address;
}

/* Any scalar as an integer of that size. */
static LLVMValueRef resize(struct asm_call *a, LLVMValueRef value, unsigned bytes) {
  LLVMTypeRef type = pass_int_type(a->pass, bytes);
  value = pass_to_int(a->pass, value);
  return LLVMBuildIntCast2(a->pass->builder, value, type, false, "");
}

LLVMValueRef asm_value(struct asm_call *a, const struct asm_operand *o, unsigned bytes) {
  if (o->kind == ASM_IMMEDIATE)
    return LLVMConstInt(pass_int_type(a->pass, bytes), (uint64_t)o->immediate, true);
  return resize(a, held_by(a, constraint_of(a, o)), bytes);
}

LLVMValueRef asm_register_value(struct asm_call *a, const char *reg, unsigned bytes) {
  return resize(a, held_by(a, by_register(a, reg, false)), bytes);
}

/* What is written to the lower 8 or 16 bits of a register leaves the others as they are. */
static LLVMValueRef with_upper_bits(struct asm_call *a, const struct asm_constraint *c,
                                    LLVMValueRef value) {
  LLVMValueRef before = held_by(a, c);
  unsigned bits = (unsigned)LLVMSizeOfTypeInBits(a->pass->layout, LLVMTypeOf(value));
  if (!before || bits >= 32 || LLVMSizeOfTypeInBits(a->pass->layout, LLVMTypeOf(before)) <= bits)
    return value;
  LLVMBuilderRef b = a->pass->builder;
  before = pass_to_int(a->pass, before);
  LLVMTypeRef whole = LLVMTypeOf(before);
  LLVMValueRef lower = pass_int(a->pass, whole, (1ul << bits) - 1);
  return LLVMBuildOr(b, LLVMBuildAnd(b, before, LLVMBuildNot(b, lower, ""), ""),
                     LLVMBuildZExt(b, value, whole, ""), "");
}

static bool set(struct asm_call *a, struct asm_constraint *c, LLVMValueRef value) {
  if (!c || c->is_memory || !c->is_output)
    return false;
  c->is_set = true;
  c->value = value ? with_upper_bits(a, c, value) : NULL;
  return true;
}

/* An input register may change too, as long as nobody asks for it afterwards. */
bool asm_set(struct asm_call *a, const struct asm_operand *o, LLVMValueRef value) {
  if (o->indirect)
    return false;
  if (o->kind == ASM_REGISTER)
    return asm_set_register(a, o->reg, value);
  struct asm_constraint *c = by_number(a, o->number);
  if (c && !c->is_output && c->tied >= 0)
    c = &a->constraints[c->tied];
  return set(a, c, value);
}

/* Compiled code has nothing in the registers of MMX, and authors know that. */
static bool is_always_free(const char *reg) {
  return strncmp(reg, "mm", 2) == 0;
}

bool asm_set_register(struct asm_call *a, const char *reg, LLVMValueRef value) {
  struct asm_constraint *c = by_register(a, reg, true);
  if (!c && is_always_free(reg) && (c = add_scratch(a)))
    snprintf(c->reg, sizeof c->reg, "%s", reg);
  return set(a, c, value);
}

void asm_set_flags(struct asm_call *a, LLVMValueRef zero, LLVMValueRef negative) {
  a->has_flags = true;
  a->has_carry = false;
  a->zero = zero;
  a->negative = negative;
}

void asm_set_carry(struct asm_call *a, LLVMValueRef carry) {
  a->has_flags = false;
  a->has_carry = true;
  a->carry = carry;
}

/* An output that is a condition, "=@ccz"; false if that flag is not known. */
static bool set_condition(struct asm_call *a, struct asm_constraint *c) {
  bool inverted = c->flag[0] == 'n' || strcmp(c->flag, "ae") == 0;
  const char *flag = c->flag[0] == 'n' ? c->flag + 1 : inverted ? "c" : c->flag;
  LLVMValueRef value;
  if (a->has_flags && (strcmp(flag, "z") == 0 || strcmp(flag, "e") == 0))
    value = a->zero;
  else if (a->has_flags && a->has_sign && strcmp(flag, "s") == 0)
    value = a->negative;
  else if (a->has_carry && (strcmp(flag, "c") == 0 || strcmp(flag, "b") == 0))
    value = a->carry;
  else
    return false;
  if (a->emit && inverted)
    value = LLVMBuildNot(a->pass->builder, value, "");
  return set(a, c, value);
}

bool asm_is_complete(struct asm_call *a) {
  for (int i = 0; i < a->count; i++) {
    struct asm_constraint *c = &a->constraints[i];
    if (c->flag[0] && !set_condition(a, c))
      return false;
    /* Untouched in-out registers keep what they had. */
    if (c->result >= 0 && !c->is_set && c->tied >= 0)
      set(a, c, a->constraints[c->tied].value);
    if (c->result >= 0 && !c->is_set)
      return false;
  }
  return true;
}

static LLVMValueRef as_result(struct asm_call *a, LLVMValueRef value, LLVMTypeRef type) {
  if (LLVMTypeOf(value) == type)
    return value;
  unsigned bits = (unsigned)LLVMSizeOfTypeInBits(a->pass->layout, type);
  LLVMTypeRef integer = LLVMIntTypeInContext(a->pass->context, bits);
  value = LLVMBuildIntCast2(a->pass->builder, pass_to_int(a->pass, value), integer, false, "");
  return pass_from_int(a->pass, value, type);
}

void asm_call_finish(struct asm_call *a) {
  LLVMTypeRef type = LLVMTypeOf(a->call);
  LLVMValueRef all = type == a->pass->void_type ? NULL : LLVMGetPoison(type);
  for (int i = 0; i < a->count; i++) {
    struct asm_constraint *c = &a->constraints[i];
    if (c->result < 0)
      continue;
    LLVMValueRef value = as_result(a, c->value, result_type(a, c));
    all = result_count(a) == 1
              ? value
              : LLVMBuildInsertValue(a->pass->builder, all, value, (unsigned)c->result, "");
  }
  pass_replace(a->call, all);
}
