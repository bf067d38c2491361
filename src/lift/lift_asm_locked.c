/* Inline assembly that is one locked instruction of x86, or a move from or to memory: it becomes the
 * LLVM instruction that is compiled to it.  Anything else is left as it is, and refused later. */
#include "lift/lift_internal.h"
#include <llvm-c/DebugInfo.h>
#include <stdlib.h>
#include <string.h>

enum { OPERANDS_MAX = 8, WORDS_MAX = 4 };

struct operand {
  bool is_memory, is_result, is_accumulator;
  bool is_flag;       /* that says whether the result was 0 */
  int result;         /* which one, if it is one */
  LLVMValueRef value; /* an address, or what a register holds; NULL = nothing yet */
};

struct statement {
  LLVMValueRef call;
  LLVMBuilderRef build;
  struct operand operands[OPERANDS_MAX];
  int count, results;
  bool locked;
  bool orders;       /* says that it changes memory: the compiler moves nothing across it */
  LLVMValueRef zero; /* the flag: cmpxchg has succeeded, or the result is 0; NULL = not known */
};

/* ---- operands ------------------------------------------------------------------------------- */

/* "=r", "=*m", "={ax}", "={@ccz}", "0", "r", "ir", "*m", "{ax}"; clobbers are no operands.  False: another
 * kind. */
static bool read_constraint(struct statement *s, const char *text, size_t n, unsigned *argument) {
  if (n && text[0] == '~') {
    s->orders = s->orders || (n == 9 && !memcmp(text, "~{memory}", 9));
    return true;
  }
  if (s->count == OPERANDS_MAX)
    return false;
  struct operand *o = &s->operands[s->count++];
  *o = (struct operand){.is_result = n && text[0] == '='};
  text += o->is_result;
  n -= o->is_result;
  if (o->is_result && n && text[0] == '&')
    text++, n--;
  o->is_memory = (n == 2 && !memcmp(text, "*m", 2)) || (n == 3 && !memcmp(text, "*rm", 3));
  o->is_flag = n == 6 && (!memcmp(text, "{@ccz}", 6) || !memcmp(text, "{@cce}", 6));
  o->is_accumulator = n == 4 && !memcmp(text, "{ax}", 4);
  bool tied = n == 1 && text[0] >= '0' && text[0] <= '9', is_plain = n > 0;
  for (size_t i = 0; i < n; i++)
    is_plain = is_plain && strchr("rqRQiIeEnZ", text[i]);
  if (!o->is_memory && !o->is_accumulator && !o->is_flag && !tied && !is_plain)
    return false;
  if (o->is_result && !o->is_memory) {
    o->result = s->results++;
    return true;
  }
  if (*argument >= LLVMGetNumArgOperands(s->call))
    return false;
  o->value = LLVMGetOperand(s->call, (*argument)++);
  o->is_result = o->is_result && !o->is_memory;
  if (tied && text[0] - '0' < s->count - 1)
    s->operands[text[0] - '0'].value = o->value;
  return true;
}

static bool read_constraints(struct statement *s, LLVMValueRef callee) {
  size_t length;
  unsigned argument = 0;
  const char *text = LLVMGetInlineAsmConstraintString(callee, &length), *end = text + length;
  while (text < end) {
    const char *comma = memchr(text, ',', (size_t)(end - text));
    size_t n = (size_t)((comma ? comma : end) - text);
    if (!read_constraint(s, text, n, &argument))
      return false;
    text += n + 1;
  }
  return argument == LLVMGetNumArgOperands(s->call);
}

/* "$0", "${0:b}"; a number is "$$1" */
static struct operand *operand_in(struct statement *s, const char *word) {
  bool braces = word[0] == '$' && word[1] == '{';
  char *end;
  if (word[0] != '$' || word[1 + braces] < '0' || word[1 + braces] > '9')
    return NULL;
  long n = strtol(word + 1 + braces, &end, 10);
  bool whole = braces ? *end == ':' || *end == '}' : !*end;
  return whole && n < s->count ? &s->operands[n] : NULL;
}

static LLVMTypeRef type_of_suffix(struct statement *s, char suffix) {
  LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(s->call));
  unsigned bits = suffix == 'b' ? 8 : suffix == 'w' ? 16 : suffix == 'l' ? 32 : 64;
  return LLVMIntTypeInContext(context, bits);
}

static LLVMValueRef convert(struct statement *s, LLVMValueRef v, LLVMTypeRef t) {
  LLVMTypeKind from = LLVMGetTypeKind(LLVMTypeOf(v)), to = LLVMGetTypeKind(t);
  if (from == LLVMPointerTypeKind && to == LLVMIntegerTypeKind)
    return LLVMBuildPtrToInt(s->build, v, t, "");
  if (from == LLVMIntegerTypeKind && to == LLVMPointerTypeKind)
    return LLVMBuildIntToPtr(s->build, v, t, "");
  return from == LLVMIntegerTypeKind ? LLVMBuildIntCast2(s->build, v, t, false, "") : v;
}

/* What an operand holds, as a number of this type; NULL if it is memory or not there. */
static LLVMValueRef value_of(struct statement *s, const char *word, LLVMTypeRef t) {
  if (!strncmp(word, "$$", 2)) {
    char *end;
    long long n = strtoll(word + 2, &end, 0);
    return *end || end == word + 2 ? NULL : LLVMConstInt(t, (unsigned long long)n, true);
  }
  struct operand *o = operand_in(s, word);
  return o && !o->is_memory && o->value ? convert(s, o->value, t) : NULL;
}

/* ---- instructions ----------------------------------------------------------------------------- */

/* What the processor orders, unless the compiler need not. */
static LLVMAtomicOrdering order(const struct statement *s, LLVMAtomicOrdering own) {
  return s->orders ? own : LLVMAtomicOrderingMonotonic;
}

static LLVMAtomicOrdering locked_order(const struct statement *s) {
  return order(s, LLVMAtomicOrderingSequentiallyConsistent);
}

static LLVMValueRef modify(struct statement *s, LLVMAtomicRMWBinOp op, const struct operand *memory,
                           LLVMValueRef value) {
  return LLVMBuildAtomicRMW(s->build, op, memory->value, value, locked_order(s), false);
}

static bool exchange(struct statement *s, const char *name, LLVMTypeRef t, char **words) {
  struct operand *a = operand_in(s, words[0]), *b = operand_in(s, words[1]);
  if (!a || !b || a->is_memory == b->is_memory)
    return false;
  struct operand *memory = a->is_memory ? a : b, *place = a->is_memory ? b : a;
  bool adds = !strcmp(name, "xadd");
  LLVMValueRef value = value_of(s, a->is_memory ? words[1] : words[0], t);
  if (!value || !place->is_result || (adds && (!s->locked || a->is_memory)))
    return false;
  place->value = modify(s, adds ? LLVMAtomicRMWBinOpAdd : LLVMAtomicRMWBinOpXchg, memory, value);
  return true;
}

static bool compare_exchange(struct statement *s, LLVMTypeRef t, char **words) {
  struct operand *memory = operand_in(s, words[1]), *result = NULL, *expected = NULL;
  LLVMValueRef new = value_of(s, words[0], t);
  for (int i = 0; i < s->count; i++)
    if (s->operands[i].is_accumulator && s->operands[i].is_result)
      result = &s->operands[i];
    else if (s->operands[i].is_accumulator)
      expected = &s->operands[i];
  expected = expected ? expected : result;
  if (!s->locked || !memory || !memory->is_memory || !new || !expected || !expected->value)
    return false;
  LLVMValueRef both =
      LLVMBuildAtomicCmpXchg(s->build, memory->value, convert(s, expected->value, t), new,
                             locked_order(s), locked_order(s), false);
  if (result)
    result->value = LLVMBuildExtractValue(s->build, both, 0, "");
  s->zero = LLVMBuildExtractValue(s->build, both, 1, "");
  return true;
}

static bool modify_memory(struct statement *s, LLVMAtomicRMWBinOp op, LLVMOpcode plain,
                          LLVMTypeRef t, char **words, int count) {
  struct operand *memory = operand_in(s, words[count - 1]);
  LLVMValueRef value = count == 1 ? LLVMConstInt(t, 1, false) : value_of(s, words[0], t);
  if (!s->locked || !memory || !memory->is_memory || !value)
    return false;
  LLVMValueRef old = modify(s, op, memory, value);
  LLVMValueRef new = LLVMBuildBinOp(s->build, plain, old, value, "");
  s->zero = LLVMBuildICmp(s->build, LLVMIntEQ, new, LLVMConstNull(t), "");
  return true;
}

/* The flag becomes a number. */
static bool set_flag(struct statement *s, struct operand *o) {
  if (!s->zero || !o || (!o->is_result && !o->is_memory))
    return false;
  LLVMValueRef number = LLVMBuildZExt(s->build, s->zero, type_of_suffix(s, 'b'), "");
  if (o->is_memory)
    LLVMBuildStore(s->build, number, o->value);
  else
    o->value = number;
  return true;
}

static bool move(struct statement *s, LLVMTypeRef t, char **words) {
  struct operand *from = operand_in(s, words[0]), *to = operand_in(s, words[1]);
  LLVMValueRef value = value_of(s, words[0], t), access;
  if (s->locked || !to)
    return false;
  if (from && from->is_memory && to->is_result) {
    access = to->value = LLVMBuildLoad2(s->build, t, from->value, "");
    LLVMSetOrdering(access, order(s, LLVMAtomicOrderingAcquire));
  } else if (value && to->is_memory) {
    access = LLVMBuildStore(s->build, value, to->value);
    LLVMSetOrdering(access, order(s, LLVMAtomicOrderingRelease));
  } else {
    return false;
  }
  LLVMSetAlignment(access, LLVMGetIntTypeWidth(t) / 8);
  return true;
}

static bool instruction(struct statement *s, const char *name, char **words, int count) {
  static const struct {
    const char *name;
    int count;
    LLVMAtomicRMWBinOp op;
    LLVMOpcode plain;
  } table[] = {
      {"inc", 1, LLVMAtomicRMWBinOpAdd, LLVMAdd}, {"dec", 1, LLVMAtomicRMWBinOpSub, LLVMSub},
      {"add", 2, LLVMAtomicRMWBinOpAdd, LLVMAdd}, {"sub", 2, LLVMAtomicRMWBinOpSub, LLVMSub},
      {"and", 2, LLVMAtomicRMWBinOpAnd, LLVMAnd}, {"or", 2, LLVMAtomicRMWBinOpOr, LLVMOr},
      {"xor", 2, LLVMAtomicRMWBinOpXor, LLVMXor}};
  if (count == 1 && (!strcmp(name, "sete") || !strcmp(name, "setz")))
    return set_flag(s, operand_in(s, words[0]));
  char base[16];
  size_t n = strlen(name);
  if (n < 2 || n >= sizeof base || !strchr("bwlq", name[n - 1]) || s->zero)
    return false; /* without a suffix the size is not known; flags are only looked at */
  memcpy(base, name, n - 1);
  base[n - 1] = 0;
  LLVMTypeRef t = type_of_suffix(s, name[n - 1]);
  if (count == 2 && (!strcmp(base, "xchg") || !strcmp(base, "xadd")))
    return exchange(s, base, t, words);
  if (count == 2 && !strcmp(base, "cmpxchg"))
    return compare_exchange(s, t, words);
  if (count == 2 && !strcmp(base, "mov"))
    return move(s, t, words);
  for (unsigned k = 0; k < sizeof table / sizeof *table; k++)
    if (!strcmp(base, table[k].name) && count == table[k].count)
      return modify_memory(s, table[k].op, table[k].plain, t, words, count);
  return false;
}

/* ---- statements ------------------------------------------------------------------------------- */

/* Instructions one after the other; `lock` is a prefix, with or without a semicolon behind it. */
static bool translate(struct statement *s, char *text) {
  int done = 0;
  char *rest, *line = strtok_r(text, ";\n", &rest);
  for (; line; line = strtok_r(NULL, ";\n", &rest)) {
    char *more, *words[WORDS_MAX], *word = strtok_r(line, " \t,", &more);
    int count = 0;
    if (word && !strcmp(word, "lock")) {
      s->locked = true;
      word = strtok_r(NULL, " \t,", &more);
    }
    if (!word)
      continue;
    for (char *w; (w = strtok_r(NULL, " \t,", &more));) {
      if (count == WORDS_MAX)
        return false;
      words[count++] = w;
    }
    bool again = done && !s->zero; /* what sets the flag may be followed by who looks at it */
    if (again || !count || !instruction(s, word, words, count))
      return false;
    done++;
  }
  return done > 0;
}

static bool replace(struct statement *s) {
  LLVMTypeRef t = LLVMTypeOf(s->call);
  bool is_struct = LLVMGetTypeKind(t) == LLVMStructTypeKind;
  LLVMValueRef all = is_struct ? LLVMGetUndef(t) : NULL;
  for (int i = 0; i < s->count; i++) {
    struct operand *o = &s->operands[i];
    if (!o->is_result)
      continue;
    if (o->is_flag ? !set_flag(s, o) : !o->value)
      return false;
    LLVMTypeRef wanted = is_struct ? LLVMStructGetTypeAtIndex(t, (unsigned)o->result) : t;
    LLVMValueRef v = convert(s, o->value, wanted);
    all = is_struct ? LLVMBuildInsertValue(s->build, all, v, (unsigned)o->result, "") : v;
  }
  if (all)
    LLVMReplaceAllUsesWith(s->call, all);
  return true;
}

/* Nothing that was built before something was not understood is of use to anybody. */
static void remove_between(LLVMValueRef before, LLVMValueRef call) {
  LLVMValueRef i;
  while ((i = LLVMGetPreviousInstruction(call)) && i != before)
    LLVMInstructionEraseFromParent(i);
}

static void lower(LLVMValueRef call, LLVMValueRef callee) {
  size_t length;
  const char *text = LLVMGetInlineAsmAsmString(callee, &length);
  struct statement s = {.call = call};
  if (!length || LLVMGetInlineAsmDialect(callee) != LLVMInlineAsmDialectATT ||
      !LLVMGetNumArgOperands(call) || !read_constraints(&s, callee))
    return;
  struct str copy = {0};
  str_append_bytes(&copy, text, length);
  s.build = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(call)));
  LLVMValueRef before = LLVMGetPreviousInstruction(call);
  LLVMPositionBuilderBefore(s.build, call);
  LLVMSetCurrentDebugLocation2(s.build, LLVMInstructionGetDebugLoc(call));
  bool done = translate(&s, copy.data) && replace(&s);
  if (done)
    LLVMInstructionEraseFromParent(call);
  else
    remove_between(before, call);
  LLVMDisposeBuilder(s.build);
  str_free(&copy);
}

void lift_lower_assembly(LLVMModuleRef m) {
  for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
      for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
        next = LLVMGetNextInstruction(i);
        LLVMValueRef callee = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
        if (callee && LLVMIsAInlineAsm(callee))
          lower(i, callee);
      }
}
