#include "instrument/asm.h"
#include "abi/abi.h"
#include "instrument/access.h"
#include "instrument/asm_operand.h"
#include "instrument/atomic.h"
#include "instrument/call.h"
#include "instrument/select.h"
#include "instrument/site.h"
#include <stdio.h>
#include <string.h>

/* Every handler returns false if it does not understand the statement; it emits only if
 * a->emit. */
struct instruction {
  const char *name; /* without size suffix */
  bool (*lower)(struct asm_call *a, const struct asm_statement *s, const struct instruction *i,
                unsigned bytes);
  int detail;
};

static LLVMValueRef i32_value(struct asm_call *a, int value) {
  return pass_int(a->pass, a->pass->i32, (uint64_t)value);
}

static bool lower_flush(struct asm_call *a, const struct asm_statement *s,
                        const struct instruction *i, unsigned bytes) {
  (void)bytes;
  int kind = i->detail;
  if (kind == ABI_CLFLUSH && s->data16)
    kind = ABI_CLFLUSHOPT;
  if (strcmp(i->name, "xsaveopt") == 0 && !s->data16)
    return false;
  if (s->count != 1 || !asm_is_memory(a, &s->operands[0]))
    return false;
  if (a->emit) {
    LLVMValueRef arguments[] = {i32_value(a, kind), asm_address(a, &s->operands[0]), a->site};
    hook_call(a->pass, HOOK_flush, arguments);
  }
  return true;
}

static void emit_fence(struct asm_call *a, int kind) {
  if (a->emit)
    hook_call(a->pass, HOOK_fence, (LLVMValueRef[]){i32_value(a, kind), a->site});
}

static bool lower_fence(struct asm_call *a, const struct asm_statement *s,
                        const struct instruction *i, unsigned bytes) {
  (void)s;
  (void)bytes;
  emit_fence(a, i->detail);
  return true;
}

static bool lower_nop(struct asm_call *a, const struct asm_statement *s,
                      const struct instruction *i, unsigned bytes) {
  (void)bytes;
  if (a->emit && (s->rep || i->detail))
    hook_call(a->pass, HOOK_pause, &a->site);
  return true;
}

/* prefetch, cld: nothing anybody could see. */
static bool lower_ignored(struct asm_call *a, const struct asm_statement *s,
                          const struct instruction *i, unsigned bytes) {
  (void)a;
  (void)s;
  (void)i;
  (void)bytes;
  return true;
}

/* movdqa and its relatives: nothing says that it happens in one piece. */
static bool lower_vector_mov(struct asm_call *a, const struct asm_statement *s,
                             const struct instruction *i, unsigned bytes) {
  (void)i;
  if (s->count != 2)
    return false;
  const struct asm_operand *from = &s->operands[0], *to = &s->operands[1];
  bool loads = asm_is_memory(a, from), stores = asm_is_memory(a, to);
  bytes = asm_operand_bytes(a, loads ? to : from);
  if (!bytes || (!loads && !asm_has_value(a, from)))
    return false;
  LLVMValueRef value = NULL;
  if (a->emit)
    value = loads ? access_load(a->pass, pass_int_type(a->pass, bytes), asm_address(a, from), 1,
                                a->site)
                  : asm_value(a, from, bytes);
  if (!stores)
    return asm_set(a, to, value);
  if (a->emit)
    access_store(a->pass, value, asm_address(a, to), 1, a->site);
  return true;
}

static bool lower_ntstore(struct asm_call *a, const struct asm_statement *s,
                          const struct instruction *i, unsigned bytes) {
  (void)i;
  if (s->count != 2 || !asm_has_value(a, &s->operands[0]) || !asm_is_memory(a, &s->operands[1]))
    return false;
  if (!bytes || s->operands[0].kind == ASM_IMMEDIATE)
    return false;
  if (a->emit)
    access_store_nontemporal(a->pass, asm_value(a, &s->operands[0], bytes),
                             asm_address(a, &s->operands[1]), a->site);
  return true;
}

static unsigned log2_bytes(unsigned bytes) {
  return (unsigned)__builtin_ctz(bytes);
}

/* A mov written by hand happens once and in one piece: a relaxed atomic access.  If the compiler may
 * not move others across it either, the order of x86 is what the author relies on. */
static LLVMValueRef mov_order(struct asm_call *a, enum abi_order order) {
  return i32_value(a, a->clobbers_memory ? order : ABI_RELAXED);
}

static bool lower_mov(struct asm_call *a, const struct asm_statement *s,
                      const struct instruction *i, unsigned bytes) {
  (void)i;
  if (s->count != 2 || !bytes || bytes > 8)
    return false;
  const struct asm_operand *from = &s->operands[0], *to = &s->operands[1];
  if (asm_is_memory(a, from)) {
    LLVMValueRef value = NULL;
    if (a->emit)
      value = hook_call(a->pass, HOOK_atomic_load1 + log2_bytes(bytes),
                        (LLVMValueRef[]){asm_address(a, from), mov_order(a, ABI_ACQUIRE), a->site});
    return asm_set(a, to, value);
  }
  if (!asm_has_value(a, from))
    return false;
  if (!asm_is_memory(a, to))
    return asm_set(a, to, a->emit ? asm_value(a, from, bytes) : NULL);
  if (a->emit) {
    LLVMValueRef arguments[] = {asm_address(a, to), asm_value(a, from, bytes),
                                mov_order(a, ABI_RELEASE), a->site};
    hook_call(a->pass, HOOK_atomic_store1 + log2_bytes(bytes), arguments);
  }
  return true;
}

/* lock; addl $0, 0(%rsp) and its kin */
static bool is_stack_barrier(const struct asm_statement *s) {
  const struct asm_operand *to = &s->operands[s->count - 1];
  return s->lock && s->count == 2 && s->operands[0].kind == ASM_IMMEDIATE &&
         s->operands[0].immediate == 0 && to->indirect && to->kind == ASM_REGISTER &&
         strcmp(to->reg, "sp") == 0;
}

static LLVMValueRef compute(LLVMBuilderRef b, int op, LLVMValueRef old, LLVMValueRef operand) {
  return op == ABI_RMW_ADD   ? LLVMBuildAdd(b, old, operand, "")
         : op == ABI_RMW_SUB ? LLVMBuildSub(b, old, operand, "")
         : op == ABI_RMW_AND ? LLVMBuildAnd(b, old, operand, "")
         : op == ABI_RMW_OR  ? LLVMBuildOr(b, old, operand, "")
                             : LLVMBuildXor(b, old, operand, "");
}

/* Without a lock: a load and then a store, between which others can come. */
static LLVMValueRef load_and_store(struct asm_call *a, int op, const struct asm_operand *to,
                                   LLVMValueRef operand, unsigned bytes) {
  LLVMValueRef address = asm_address(a, to);
  LLVMValueRef old = hook_call(a->pass, HOOK_atomic_load1 + log2_bytes(bytes),
                               (LLVMValueRef[]){address, mov_order(a, ABI_ACQUIRE), a->site});
  LLVMValueRef now = compute(a->pass->builder, op, old, operand);
  hook_call(a->pass, HOOK_atomic_store1 + log2_bytes(bytes),
            (LLVMValueRef[]){address, now, mov_order(a, ABI_RELEASE), a->site});
  return old;
}

/* The flags that an arithmetic instruction leaves, from the old value and the operand. */
static void set_arithmetic_flags(struct asm_call *a, int op, LLVMValueRef old,
                                 LLVMValueRef operand) {
  a->has_sign = true;
  if (!a->emit) {
    asm_set_flags(a, NULL, NULL);
    return;
  }
  LLVMBuilderRef b = a->pass->builder;
  LLVMValueRef now = compute(b, op, old, operand);
  LLVMValueRef nothing = LLVMConstNull(LLVMTypeOf(now));
  asm_set_flags(a, LLVMBuildICmp(b, LLVMIntEQ, now, nothing, ""),
                LLVMBuildICmp(b, LLVMIntSLT, now, nothing, ""));
}

/* add, sub, and, or, xor, inc, dec, not: with a lock or without */
static bool lower_rmw(struct asm_call *a, const struct asm_statement *s,
                      const struct instruction *i, unsigned bytes) {
  if (is_stack_barrier(s)) {
    emit_fence(a, ABI_MFENCE);
    return true;
  }
  bool unary = strcmp(i->name, "inc") == 0 || strcmp(i->name, "dec") == 0;
  bool inverts = strcmp(i->name, "not") == 0;
  if (s->count != (unary || inverts ? 1 : 2) || !bytes || bytes > 8)
    return false;
  const struct asm_operand *to = &s->operands[s->count - 1];
  if (!asm_is_memory(a, to) || (s->count == 2 && !asm_has_value(a, &s->operands[0])))
    return false;
  LLVMValueRef operand = NULL, old = NULL;
  if (a->emit) {
    LLVMTypeRef type = pass_int_type(a->pass, bytes);
    operand = inverts ? LLVMConstAllOnes(type)
              : unary ? pass_int(a->pass, type, 1)
                      : asm_value(a, &s->operands[0], bytes);
    old = s->lock ? atomic_rmw(a->pass, (enum abi_rmw)i->detail, asm_address(a, to), operand,
                               i32_value(a, ABI_SEQ_CST), a->site)
                  : load_and_store(a, i->detail, to, operand, bytes);
  }
  if (!inverts)
    set_arithmetic_flags(a, i->detail, old, operand);
  return true;
}

/* xchg (locked by itself) and lock xadd: the register gets the old value. */
static bool lower_exchange(struct asm_call *a, const struct asm_statement *s,
                           const struct instruction *i, unsigned bytes) {
  if (s->count != 2 || !bytes || bytes > 8 || (i->detail == ABI_RMW_ADD && !s->lock))
    return false;
  int memory = asm_is_memory(a, &s->operands[1]) ? 1 : 0;
  const struct asm_operand *to = &s->operands[memory], *with = &s->operands[1 - memory];
  if (!asm_is_memory(a, to) || !asm_has_value(a, with) || with->kind == ASM_IMMEDIATE)
    return false;
  LLVMValueRef old = NULL, operand = NULL;
  if (a->emit) {
    operand = asm_value(a, with, bytes);
    old = atomic_rmw(a->pass, (enum abi_rmw)i->detail, asm_address(a, to), operand,
                     i32_value(a, ABI_SEQ_CST), a->site);
  }
  if (i->detail == ABI_RMW_ADD)
    set_arithmetic_flags(a, ABI_RMW_ADD, old, operand);
  asm_set(a, with, old); /* the program may not want it */
  return true;
}

static bool lower_cmpxchg(struct asm_call *a, const struct asm_statement *s,
                          const struct instruction *i, unsigned bytes) {
  (void)i;
  if (!s->lock || s->count != 2 || !bytes || bytes > 8 || !asm_has_value(a, &s->operands[0]) ||
      !asm_is_memory(a, &s->operands[1]) || !asm_register_has_value(a, "ax"))
    return false;
  LLVMValueRef old = NULL, same = NULL;
  if (a->emit) {
    LLVMValueRef expected = asm_register_value(a, "ax", bytes);
    old = atomic_cas(a->pass, asm_address(a, &s->operands[1]), expected,
                     asm_value(a, &s->operands[0], bytes), i32_value(a, ABI_SEQ_CST), a->site);
    same = LLVMBuildICmp(a->pass->builder, LLVMIntEQ, old, expected, "");
  }
  asm_set_register(a, "ax", old);
  a->has_sign = false;
  asm_set_flags(a, same, NULL);
  return true;
}

static LLVMValueRef join_halves(struct asm_call *a, const char *low, const char *high,
                                unsigned half) {
  LLVMBuilderRef b = a->pass->builder;
  LLVMTypeRef whole = pass_int_type(a->pass, half * 2);
  LLVMValueRef l = LLVMBuildZExt(b, asm_register_value(a, low, half), whole, "");
  LLVMValueRef h = LLVMBuildZExt(b, asm_register_value(a, high, half), whole, "");
  return LLVMBuildOr(b, l, LLVMBuildShl(b, h, pass_int(a->pass, whole, half * 8ul), ""), "");
}

/* lock cmpxchg16b (detail 8) and cmpxchg8b (detail 4): two registers make one value. */
static bool lower_cmpxchg_pair(struct asm_call *a, const struct asm_statement *s,
                               const struct instruction *i, unsigned bytes) {
  (void)bytes;
  unsigned half = (unsigned)i->detail;
  if (!s->lock || s->count != 1 || !asm_is_memory(a, &s->operands[0]) ||
      !asm_register_has_value(a, "ax") || !asm_register_has_value(a, "dx") ||
      !asm_register_has_value(a, "bx") || !asm_register_has_value(a, "cx"))
    return false;
  LLVMValueRef low = NULL, high = NULL, same = NULL;
  if (a->emit) {
    LLVMBuilderRef b = a->pass->builder;
    LLVMValueRef expected = join_halves(a, "ax", "dx", half);
    LLVMValueRef desired = join_halves(a, "bx", "cx", half);
    LLVMValueRef old = atomic_cas(a->pass, asm_address(a, &s->operands[0]), expected, desired,
                                  i32_value(a, ABI_SEQ_CST), a->site);
    LLVMTypeRef part = pass_int_type(a->pass, half);
    same = LLVMBuildICmp(b, LLVMIntEQ, old, expected, "");
    low = LLVMBuildTrunc(b, old, part, "");
    high = LLVMBuildLShr(b, old, pass_int(a->pass, LLVMTypeOf(old), half * 8ul), "");
    high = LLVMBuildTrunc(b, high, part, "");
  }
  asm_set_register(a, "ax", low);
  asm_set_register(a, "dx", high);
  a->has_sign = false;
  asm_set_flags(a, same, NULL);
  return true;
}

/* lock bts, btr, btc: the bit may be in a word further on, or back. */
static bool lower_bit(struct asm_call *a, const struct asm_statement *s,
                      const struct instruction *i, unsigned bytes) {
  if (!s->lock || s->count != 2 || bytes < 2 || bytes > 8 || !asm_has_value(a, &s->operands[0]) ||
      !asm_is_memory(a, &s->operands[1]))
    return false;
  LLVMValueRef was = NULL;
  if (a->emit) {
    struct pass *pass = a->pass;
    LLVMBuilderRef b = pass->builder;
    LLVMTypeRef type = pass_int_type(pass, bytes);
    LLVMValueRef index = asm_value(a, &s->operands[0], bytes);
    LLVMValueRef last = pass_int(pass, type, bytes * 8ul - 1);
    LLVMValueRef bit = LLVMBuildAnd(b, index, last, "");
    LLVMValueRef word = LLVMBuildAShr(b, index, pass_int(pass, type, log2_bytes(bytes * 8)), "");
    if (s->operands[0].kind == ASM_IMMEDIATE)
      word = LLVMConstNull(type);
    word = LLVMBuildIntCast2(b, word, pass->i64, true, "");
    LLVMValueRef address = LLVMBuildGEP2(b, type, asm_address(a, &s->operands[1]), &word, 1, "");
    LLVMValueRef mask = LLVMBuildShl(b, pass_int(pass, type, 1), bit, "");
    LLVMValueRef operand = i->detail == ABI_RMW_AND ? LLVMBuildNot(b, mask, "") : mask;
    LLVMValueRef old = atomic_rmw(pass, (enum abi_rmw)i->detail, address, operand,
                                  i32_value(a, ABI_SEQ_CST), a->site);
    was = LLVMBuildICmp(b, LLVMIntNE, LLVMBuildAnd(b, old, mask, ""), LLVMConstNull(type), "");
  }
  asm_set_carry(a, was);
  return true;
}

/* rep movs, rep stos: a copy or memset that leaves the registers behind the data. */
static bool lower_string(struct asm_call *a, const struct asm_statement *s,
                         const struct instruction *i, unsigned bytes) {
  bool copies = i->detail;
  if (!s->rep || s->count || !bytes || (!copies && bytes != 1) ||
      !asm_register_has_value(a, "di") || !asm_register_has_value(a, "cx") ||
      !asm_register_has_value(a, copies ? "si" : "ax"))
    return false;
  LLVMValueRef to = NULL, from = NULL, none = NULL;
  if (a->emit) {
    struct pass *pass = a->pass;
    LLVMBuilderRef b = pass->builder;
    LLVMValueRef n =
        LLVMBuildMul(b, asm_register_value(a, "cx", 8), pass_int(pass, pass->i64, bytes), "");
    to = asm_register_value(a, "di", 8);
    from = asm_register_value(a, copies ? "si" : "ax", copies ? 8 : 1);
    LLVMValueRef target = LLVMBuildIntToPtr(b, to, pass->ptr, "");
    if (copies) {
      build_forward_copy(pass, target, LLVMBuildIntToPtr(b, from, pass->ptr, ""), n, bytes,
                         a->site);
    } else {
      LLVMValueRef byte = LLVMBuildZExt(b, from, pass->i32, "");
      hook_call(pass, HOOK_memset, (LLVMValueRef[]){target, byte, n, a->site});
    }
    to = LLVMBuildAdd(b, to, n, "");
    from = copies ? LLVMBuildAdd(b, from, n, "") : from;
    none = LLVMConstNull(pass->i64);
  }
  asm_set_register(a, "di", to);
  if (copies)
    asm_set_register(a, "si", from);
  asm_set_register(a, "cx", none);
  return true;
}

enum condition { ZERO, NOT_ZERO, NEGATIVE, NOT_NEGATIVE, CARRY, NOT_CARRY };

/* setz, setnz, sets, setns, setc, setnc into a register or a variable on the way out. */
static bool lower_set(struct asm_call *a, const struct asm_statement *s,
                      const struct instruction *i, unsigned bytes) {
  (void)bytes;
  bool carry = i->detail == CARRY || i->detail == NOT_CARRY;
  bool sign = i->detail == NEGATIVE || i->detail == NOT_NEGATIVE;
  bool inverted = i->detail == NOT_ZERO || i->detail == NOT_NEGATIVE || i->detail == NOT_CARRY;
  bool known = carry ? a->has_carry : a->has_flags && (!sign || a->has_sign);
  if (!known || s->count != 1)
    return false;
  LLVMValueRef value = NULL;
  if (a->emit) {
    LLVMBuilderRef b = a->pass->builder;
    value = carry ? a->carry : sign ? a->negative : a->zero;
    if (inverted)
      value = LLVMBuildNot(b, value, "");
    value = LLVMBuildZExt(b, value, a->pass->i8, "");
  }
  if (!asm_is_memory(a, &s->operands[0]))
    return asm_set(a, &s->operands[0], value);
  if (a->emit)
    access_store(a->pass, value, asm_address(a, &s->operands[0]), 1, a->site);
  return true;
}

static bool lower_rdtsc(struct asm_call *a, const struct asm_statement *s,
                        const struct instruction *i, unsigned bytes) {
  (void)s;
  (void)bytes;
  LLVMValueRef low = NULL, high = NULL;
  if (a->emit) {
    LLVMBuilderRef b = a->pass->builder;
    LLVMValueRef time = hook_call(a->pass, HOOK_rdtsc, &a->site);
    LLVMValueRef mask = pass_int(a->pass, a->pass->i64, 0xffffffff);
    low = LLVMBuildAnd(b, time, mask, "");
    high = LLVMBuildLShr(b, time, pass_int(a->pass, a->pass->i64, 32), "");
  }
  asm_set_register(a, "ax", low);
  asm_set_register(a, "dx", high);
  if (i->detail)
    asm_set_register(a, "cx", a->emit ? pass_int(a->pass, a->pass->i64, 0) : NULL);
  return true;
}

static const struct instruction instructions[] = {
    {"clflush", lower_flush, ABI_CLFLUSH},
    {"clflushopt", lower_flush, ABI_CLFLUSHOPT},
    {"clwb", lower_flush, ABI_CLWB},
    {"xsaveopt", lower_flush, ABI_CLWB},
    {"mfence", lower_fence, ABI_MFENCE},
    {"sfence", lower_fence, ABI_SFENCE},
    {"lfence", lower_fence, ABI_LFENCE},
    {"nop", lower_nop, 0},
    {"pause", lower_nop, 1},
    {"prefetcht0", lower_ignored, 0},
    {"prefetcht1", lower_ignored, 0},
    {"prefetcht2", lower_ignored, 0},
    {"prefetchnta", lower_ignored, 0},
    {"prefetch", lower_ignored, 0},
    {"movnti", lower_ntstore, 0},
    {"movntdq", lower_ntstore, 0},
    {"movntps", lower_ntstore, 0},
    {"movntpd", lower_ntstore, 0},
    {"vmovntdq", lower_ntstore, 0},
    {"movntq", lower_ntstore, 0},
    {"movdqa", lower_vector_mov, 0},
    {"movdqu", lower_vector_mov, 0},
    {"movaps", lower_vector_mov, 0},
    {"movups", lower_vector_mov, 0},
    {"vmovdqa", lower_vector_mov, 0},
    {"vmovdqu", lower_vector_mov, 0},
    {"vmovaps", lower_vector_mov, 0},
    {"vmovups", lower_vector_mov, 0},
    {"mov", lower_mov, 0},
    {"add", lower_rmw, ABI_RMW_ADD},
    {"sub", lower_rmw, ABI_RMW_SUB},
    {"and", lower_rmw, ABI_RMW_AND},
    {"or", lower_rmw, ABI_RMW_OR},
    {"xor", lower_rmw, ABI_RMW_XOR},
    {"inc", lower_rmw, ABI_RMW_ADD},
    {"dec", lower_rmw, ABI_RMW_SUB},
    {"not", lower_rmw, ABI_RMW_XOR},
    {"xchg", lower_exchange, ABI_RMW_XCHG},
    {"xadd", lower_exchange, ABI_RMW_ADD},
    {"cmpxchg", lower_cmpxchg, 0},
    {"cmpxchg16b", lower_cmpxchg_pair, 8},
    {"cmpxchg8b", lower_cmpxchg_pair, 4},
    {"sete", lower_set, ZERO},
    {"setz", lower_set, ZERO},
    {"setne", lower_set, NOT_ZERO},
    {"setnz", lower_set, NOT_ZERO},
    {"sets", lower_set, NEGATIVE},
    {"setns", lower_set, NOT_NEGATIVE},
    {"setc", lower_set, CARRY},
    {"setb", lower_set, CARRY},
    {"setnc", lower_set, NOT_CARRY},
    {"setnb", lower_set, NOT_CARRY},
    {"setae", lower_set, NOT_CARRY},
    {"bts", lower_bit, ABI_RMW_OR},
    {"btr", lower_bit, ABI_RMW_AND},
    {"btc", lower_bit, ABI_RMW_XOR},
    {"movs", lower_string, true},
    {"stos", lower_string, false},
    {"cld", lower_ignored, 0},
    {"rdtsc", lower_rdtsc, 0},
    {"rdtscp", lower_rdtsc, 1},
};

/* By the whole mnemonic, or else without a size suffix, whose size then counts. */
static const struct instruction *find(const char *mnemonic, unsigned *bytes) {
  size_t length = strlen(mnemonic);
  const size_t count = sizeof instructions / sizeof *instructions;
  for (size_t i = 0; i < count; i++)
    if (strcmp(instructions[i].name, mnemonic) == 0)
      return &instructions[i];
  const char *suffix = length ? strchr("bwlq", mnemonic[length - 1]) : NULL;
  if (!suffix)
    return NULL;
  for (size_t i = 0; i < count; i++)
    if (strlen(instructions[i].name) == length - 1 &&
        strncmp(instructions[i].name, mnemonic, length - 1) == 0) {
      *bytes = 1u << (suffix - "bwlq");
      return &instructions[i];
    }
  return NULL;
}

static unsigned size_of(const struct asm_call *a, const struct asm_statement *s) {
  unsigned bytes = 0;
  /* Registers before memory: "r" operands have the size that is meant. */
  for (int memory = 0; memory < 2 && !bytes; memory++)
    for (int i = 0; i < s->count && !bytes; i++)
      if (asm_is_memory(a, &s->operands[i]) == memory)
        bytes = asm_operand_bytes(a, &s->operands[i]);
  return bytes;
}

static bool lower_all(struct asm_call *a, const struct asm_text *text, bool emit) {
  asm_call_begin(a, emit);
  for (int i = 0; i < text->count; i++) {
    const struct asm_statement *s = &text->statements[i];
    unsigned bytes = 0;
    const struct instruction *instruction = find(s->mnemonic, &bytes);
    if (!instruction)
      return false;
    if (!bytes)
      bytes = size_of(a, s);
    if (!instruction->lower(a, s, instruction, bytes))
      return false;
  }
  return asm_is_complete(a);
}

/* Instructions that work on registers only, unless an operand says otherwise. */
static bool is_register_only(const struct asm_statement *s) {
  static const char *const names[] = {
      "cpuid", "xgetbv", "rdpid",      "rdtsc",  "rdtscp", "rdpmc",  "nop",     "pause",
      "mov",   "shl",    "shr",        "sar",    "rol",    "ror",    "or",      "and",
      "xor",   "add",    "sub",        "adc",    "sbb",    "neg",    "not",     "mul",
      "imul",  "div",    "idiv",       "bswap",  "bsf",    "bsr",    "lea",     "cmp",
      "test",  "inc",    "dec",        "lzcnt",  "tzcnt",  "popcnt", "crc32",   "int3",
      "ud2",   "emms",   "vzeroupper", "movzx",  "movzb",  "cld",    "endbr64", "serialize",
      "mulx",  "xchg",   "movd",       "rdrand", "rdseed", "mfence", "sfence",  "lfence"};
  for (int i = 0; i < s->count; i++)
    if (s->operands[i].indirect)
      return false;
  char plain[24];
  snprintf(plain, sizeof plain, "%s", s->mnemonic);
  for (int cut = 0; cut < 2; cut++) {
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
      if (strcmp(plain, names[i]) == 0)
        return true;
    size_t length = strlen(plain);
    if (length && strchr("bwlq", plain[length - 1]))
      plain[length - 1] = 0;
  }
  return strncmp(s->mnemonic, "set", 3) == 0 || strncmp(s->mnemonic, "cmov", 4) == 0 ||
         s->mnemonic[0] == 'j';
}

static bool mentions_memory(const struct asm_call *a, const struct asm_statement *s) {
  for (int i = 0; i < s->count; i++)
    if (asm_is_memory(a, &s->operands[i]))
      return true;
  return false;
}

static bool may_touch_memory(struct pass *pass, const struct asm_call *a,
                             const struct asm_text *text, bool readable) {
  bool suspicious = a->clobbers_memory;
  for (int i = 0; i < a->count; i++) {
    const struct asm_constraint *c = &a->constraints[i];
    if (c->argument < 0)
      continue;
    LLVMValueRef argument = LLVMGetOperand(a->call, (unsigned)c->argument);
    bool is_pointer = LLVMTypeOf(argument) == pass->ptr;
    suspicious |= (c->is_memory || is_pointer) && !select_is_private(argument);
  }
  if (!suspicious || !readable)
    return suspicious;
  for (int i = 0; i < text->count; i++)
    if (!is_register_only(&text->statements[i]) || mentions_memory(a, &text->statements[i]))
      return true;
  return false;
}

/* Fences inside assembly that otherwise stays as it is. */
static void emit_fences(struct asm_call *a, const struct asm_text *text) {
  a->emit = true;
  for (int i = 0; i < text->count; i++) {
    unsigned bytes = 0;
    const struct instruction *instruction = find(text->statements[i].mnemonic, &bytes);
    if (instruction && instruction->lower == lower_fence)
      emit_fence(a, instruction->detail);
  }
}

bool rewrite_asm(struct pass *pass, LLVMValueRef call) {
  LLVMValueRef callee = LLVMGetCalledValue(call);
  size_t length;
  const char *template = LLVMGetInlineAsmAsmString(callee, &length);
  struct asm_text text;
  struct asm_call a;
  if (rewrite_segment_asm(pass, call, template))
    return true;
  bool intel = LLVMGetInlineAsmDialect(callee) == LLVMInlineAsmDialectIntel;
  bool readable = asm_text_read(&text, template, length, intel);
  if (readable && text.count == 0)
    return false; /* a compiler barrier */
  bool understood = asm_call_init(&a, pass, call) && LLVMIsACallInst(call);
  a.site = site_of(pass, call);
  asm_call_begin(&a, false);
  if (readable && understood && lower_all(&a, &text, false)) {
    lower_all(&a, &text, true);
    asm_call_finish(&a);
    return true;
  }
  asm_call_begin(&a, false);
  if (may_touch_memory(pass, &a, &text, readable)) {
    char shown[256];
    snprintf(shown, sizeof shown, "%.*s", (int)length, template);
    for (char *p = shown; *p; p++)
      if (*p == '\n' || *p == '\t')
        *p = ' ';
    report_unknown(pass, call, "inline assembly", shown);
  }
  if (readable)
    emit_fences(&a, &text);
  return false;
}
