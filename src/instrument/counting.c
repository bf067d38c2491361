#include "instrument/counting.h"
#include "abi/abi.h"
#include "instrument/helper.h"
#include "instrument/loops.h"
#include "instrument/phi.h"
#include "instrument/select.h"
#include "instrument/straighten.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define SIZE_MAX_BLOCKS 64 /* of a loop that is looked at */
#define CALL_DEPTH 4

/* A loop while it is judged. */
struct judged {
  LLVMContextRef context;
  LLVMValueRef function;
  const struct loops *loops;
  const struct loop *loop;
  VEC(LLVMValueRef) counts;   /* values that follow from its numbers of rounds */
  VEC(LLVMValueRef) branches; /* that depend on them */
};

static bool is_in(const struct judged *j, LLVMValueRef instruction) {
  return loop_has_block(j->loops, j->loop, LLVMGetInstructionParent(instruction));
}

static bool is_invariant(const struct judged *j, LLVMValueRef v) {
  return !LLVMIsAInstruction(v) || !is_in(j, v);
}

/* ---- what has no effect ---- */

static bool is_one_of(const char *text, size_t length, const char *const *list, size_t count) {
  while (length && strchr(" \t\n;", *text))
    text++, length--;
  while (length && strchr(" \t\n;", text[length - 1]))
    length--;
  for (size_t i = 0; i < count; i++)
    if (strlen(list[i]) == length && memcmp(list[i], text, length) == 0)
      return true;
  return false;
}

static bool starts_with(const char *text, size_t length, const char *with) {
  return length >= strlen(with) && memcmp(text, with, strlen(with)) == 0;
}

/* Which loads are looks? */
enum looks { LOOKS_ATOMIC, LOOKS_ALL };

static bool is_quiet(LLVMValueRef i, int depth);
static unsigned looks_of(LLVMValueRef i, enum looks which, int depth);

/* The constant that it is in a function called like that; NULL: it is none. */
static LLVMValueRef constant_in(LLVMValueRef v, LLVMValueRef call) {
  LLVMValueRef f = LLVMGetCalledValue(call);
  for (unsigned i = 0; i < LLVMCountParams(f); i++)
    if (LLVMGetParam(f, i) == v)
      v = LLVMGetOperand(call, i);
  return LLVMIsAConstantInt(v) ? v : NULL;
}

/* Where control goes on, if that is known; memory orders are constants that are passed on.  NULL: it is not. */
static LLVMBasicBlockRef only_successor(LLVMValueRef end, LLVMValueRef call) {
  if (LLVMIsABranchInst(end) && !LLVMIsConditional(end))
    return LLVMGetSuccessor(end, 0);
  bool is_switch = LLVMIsASwitchInst(end);
  if (!is_switch && !LLVMIsABranchInst(end))
    return NULL;
  LLVMValueRef which =
      constant_in(is_switch ? LLVMGetOperand(end, 0) : LLVMGetCondition(end), call);
  if (!which || !is_switch)
    return which ? LLVMGetSuccessor(end, LLVMIsNull(which)) : NULL;
  for (unsigned s = 1; s < LLVMGetNumSuccessors(end); s++)
    if (LLVMGetOperand(end, 2 * s) == which)
      return LLVMGetSuccessor(end, s);
  return LLVMGetSwitchDefaultDest(end);
}

/* A call of a function like cpu_relax() or is_set(): it does nothing, or looks, and has one way through.  Returns how
 * often it looks; UINT_MAX: it is not such a function. */
static unsigned looks_in(LLVMValueRef call, enum looks which, int depth) {
  LLVMValueRef f = LLVMGetCalledValue(call);
  unsigned looks = 0;
  if (LLVMIsDeclaration(f) || depth == 0 || LLVMGetNumArgOperands(call) != LLVMCountParams(f))
    return UINT_MAX;
  LLVMBasicBlockRef b = LLVMGetEntryBasicBlock(f);
  for (unsigned blocks = 0; b && blocks < LLVMCountBasicBlocks(f); blocks++) {
    LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i != end; i = LLVMGetNextInstruction(i)) {
      looks += looks_of(i, which, depth - 1);
      if (!looks_of(i, LOOKS_ATOMIC, depth - 1) && !is_quiet(i, depth - 1))
        return UINT_MAX;
    }
    if (LLVMIsAReturnInst(end))
      return looks;
    b = only_successor(end, call);
  }
  return UINT_MAX;
}

static bool is_quiet_call(LLVMValueRef call, int depth) {
  static const char *const pauses[] = {"", "pause", "nop", "rep; nop", "rep;nop", "rep nop"};
  LLVMValueRef callee = LLVMGetCalledValue(call);
  size_t length;
  if (LLVMIsAInlineAsm(callee)) {
    const char *text = LLVMGetInlineAsmAsmString(callee, &length);
    return LLVMGetTypeKind(LLVMTypeOf(call)) == LLVMVoidTypeKind &&
           LLVMGetNumArgOperands(call) == 0 &&
           is_one_of(text, length, pauses, sizeof pauses / sizeof *pauses);
  }
  if (!LLVMIsAFunction(callee))
    return false;
  const char *name = LLVMGetValueName2(callee, &length);
  return starts_with(name, length, "llvm.dbg.") || starts_with(name, length, "llvm.lifetime.") ||
         starts_with(name, length, "llvm.x86.sse2.pause") ||
         looks_in(call, LOOKS_ATOMIC, depth) == 0;
}

static bool is_look(LLVMValueRef i) {
  return LLVMIsALoadInst(i) &&
         (LLVMGetVolatile(i) || LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic);
}

static bool is_plain_look(LLVMValueRef i) {
  return LLVMIsALoadInst(i) && !is_look(i) && !select_is_private(LLVMGetOperand(i, 0));
}

/* 0 if it is none, or does something else. */
static unsigned looks_of(LLVMValueRef i, enum looks which, int depth) {
  if (!LLVMIsACallInst(i) || !LLVMIsAFunction(LLVMGetCalledValue(i)))
    return is_look(i) || (which == LOOKS_ALL && is_plain_look(i));
  unsigned looks = looks_in(i, which, depth);
  return looks == UINT_MAX ? 0 : looks;
}

static bool is_arithmetic(LLVMValueRef i) {
  return LLVMIsABinaryOperator(i) || LLVMIsACastInst(i) || LLVMIsAICmpInst(i) ||
         LLVMIsASelectInst(i) || LLVMIsAPHINode(i) || LLVMIsAFreezeInst(i);
}

/* No effect, and no look either. */
static bool is_quiet(LLVMValueRef i, int depth) {
  switch (LLVMGetInstructionOpcode(i)) {
  case LLVMUDiv:
  case LLVMSDiv:
  case LLVMURem:
  case LLVMSRem:
    return LLVMIsAConstantInt(LLVMGetOperand(i, 1)) && !LLVMIsNull(LLVMGetOperand(i, 1));
  case LLVMBr:
  case LLVMSwitch:
  case LLVMGetElementPtr:
  case LLVMExtractValue:
  case LLVMFence:
    return true;
  case LLVMLoad:
    return !is_look(i);
  case LLVMCall:
    return is_quiet_call(i, depth);
  default:
    return is_arithmetic(i);
  }
}

/* ---- numbers of rounds, and what follows from them ---- */

static bool counts_has(const struct judged *j, LLVMValueRef v) {
  for (size_t i = 0; i < j->counts.length; i++)
    if (j->counts.data[i] == v)
      return true;
  return false;
}

static void add_count(struct judged *j, LLVMValueRef v) {
  if (!counts_has(j, v))
    vec_push(&j->counts, v);
}

static bool follow_uses(struct judged *j, LLVMValueRef v) {
  for (LLVMUseRef u = LLVMGetFirstUse(v); u; u = LLVMGetNextUse(u)) {
    LLVMValueRef user = LLVMGetUser(u);
    if (!LLVMIsAInstruction(user) || !is_in(j, user))
      return false;
    if (LLVMIsABranchInst(user))
      vec_push(&j->branches, user);
    else if (is_arithmetic(user))
      add_count(j, user);
    else
      return false;
  }
  return true;
}

/* From the successors of the branch to the join nothing happens: region says which blocks these are. */
static bool is_idle_until(const struct judged *j, LLVMValueRef branch, unsigned join,
                          bool *region) {
  const struct loops *l = j->loops;
  VEC(unsigned) todo = {0};
  bool idle = true;
  memset(region, 0, l->blocks.length * sizeof *region);
  for (unsigned s = 0; s < LLVMGetNumSuccessors(branch); s++)
    vec_push(&todo, loops_number(l, LLVMGetSuccessor(branch, s)));
  while (todo.length && idle) {
    unsigned b = vec_pop(&todo);
    if (b == join || region[b])
      continue;
    idle = j->loop->has[b] && b != j->loop->header;
    region[b] = true;
    LLVMValueRef i = LLVMGetFirstInstruction(l->blocks.data[b].block);
    for (; i && idle; i = LLVMGetNextInstruction(i))
      idle = is_quiet(i, CALL_DEPTH);
    for (size_t s = 0; s < l->blocks.data[b].next.length; s++)
      vec_push(&todo, l->blocks.data[b].next.data[s]);
  }
  vec_free(&todo);
  return idle;
}

/* What is decided in the region can be told from its values, and from which way the join was reached. */
static void add_decided(struct judged *j, const bool *region, unsigned join) {
  const struct loops *l = j->loops;
  for (size_t b = 0; b < l->blocks.length; b++)
    for (LLVMValueRef i = LLVMGetFirstInstruction(l->blocks.data[b].block);
         i && (region[b] || b == join); i = LLVMGetNextInstruction(i)) {
      if (b == join) {
        if (LLVMIsAPHINode(i))
          add_count(j, i);
        continue;
      }
      for (LLVMUseRef u = LLVMGetFirstUse(i); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        if (LLVMIsAInstruction(user) && !region[loops_number(l, LLVMGetInstructionParent(user))])
          add_count(j, i);
      }
    }
}

static bool leaves(const struct judged *j, LLVMValueRef branch) {
  for (unsigned s = 0; s < LLVMGetNumSuccessors(branch); s++)
    if (!loop_has_block(j->loops, j->loop, LLVMGetSuccessor(branch, s)))
      return true;
  return false;
}

static bool decides_nothing(struct judged *j, LLVMValueRef branch) {
  bool *region = calloc(j->loops->blocks.length, sizeof *region), found = false;
  for (unsigned join = 0; join < j->loops->blocks.length && !found; join++)
    if (j->loop->has[join] && is_idle_until(j, branch, join, region)) {
      add_decided(j, region, join);
      found = true;
    }
  free(region);
  return found;
}

/* Is what follows from the numbers of no consequence?  way_out: the one branch by which they may end the loop, or
 * NULL. */
static bool is_of_no_consequence(struct judged *j, LLVMValueRef *way_out) {
  size_t branch = 0;
  for (size_t i = 0; i < j->counts.length || branch < j->branches.length;) {
    if (i < j->counts.length) {
      if (!follow_uses(j, j->counts.data[i++]))
        return false;
      continue;
    }
    LLVMValueRef b = j->branches.data[branch++];
    if (!leaves(j, b)) {
      if (!decides_nothing(j, b))
        return false;
    } else if (!way_out || (*way_out && *way_out != b)) {
      return false;
    } else {
      *way_out = b;
    }
  }
  return true;
}

static bool is_header_phi(const struct judged *j, LLVMValueRef v) {
  return LLVMIsAPHINode(v) &&
         loops_number(j->loops, LLVMGetInstructionParent(v)) == j->loop->header;
}

/* v is the number plus or minus a constant that is not 0; one: plus or minus 1. */
static bool is_step_of(LLVMValueRef v, LLVMValueRef number, bool *one) {
  bool sum = LLVMIsABinaryOperator(v) &&
             (LLVMGetInstructionOpcode(v) == LLVMAdd || LLVMGetInstructionOpcode(v) == LLVMSub);
  if (!sum || LLVMGetOperand(v, 0) != number || !LLVMIsAConstantInt(LLVMGetOperand(v, 1)))
    return false;
  long long by = LLVMConstIntGetSExtValue(LLVMGetOperand(v, 1));
  *one = by == 1 || by == -1;
  return by != 0;
}

/* A number of rounds: the same step in each. */
static bool is_number(const struct judged *j, LLVMValueRef phi, LLVMValueRef *next, bool *one) {
  *next = NULL;
  for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
    if (!loop_has_block(j->loops, j->loop, LLVMGetIncomingBlock(phi, i)))
      continue;
    LLVMValueRef v = LLVMGetIncomingValue(phi, i);
    if ((*next && *next != v) || !is_step_of(v, phi, one))
      return false;
    *next = v;
  }
  return *next;
}

/* Does the branch end the loop as soon as a number has reached a bound? */
static bool is_bound(const struct judged *j, LLVMValueRef branch) {
  LLVMValueRef test = LLVMGetCondition(branch);
  if (!LLVMIsAICmpInst(test))
    return false;
  for (unsigned side = 0; side < 2; side++) {
    LLVMValueRef v = LLVMGetOperand(test, side), next = NULL;
    if (!is_invariant(j, LLVMGetOperand(test, 1 - side)))
      continue;
    LLVMBasicBlockRef header = j->loops->blocks.data[j->loop->header].block;
    for (LLVMValueRef phi = LLVMGetFirstInstruction(header); phi && LLVMIsAPHINode(phi);
         phi = LLVMGetNextInstruction(phi)) {
      bool one;
      if (!is_number(j, phi, &next, &one) || (v != phi && v != next))
        continue;
      LLVMIntPredicate p = LLVMGetICmpPredicate(test);
      return one || (p != LLVMIntEQ && p != LLVMIntNE);
    }
  }
  return false;
}

/* ---- looks ---- */

#define WAY_MAX 16

/* Blocks in the order in which they are reached after a compare-and-swap has succeeded. */
struct way {
  LLVMValueRef success;
  LLVMBasicBlockRef blocks[WAY_MAX];
  int length;
};

static LLVMValueRef on_the_way(const struct way *w, LLVMValueRef phi) {
  for (int i = 1; i < w->length; i++)
    if (w->blocks[i] == LLVMGetInstructionParent(phi))
      return phi_from(phi, w->blocks[i - 1]);
  return NULL;
}

/* -1: not known. */
static int known_bit(LLVMValueRef v, const struct way *w, int depth) {
  if (v == w->success)
    return 1;
  if (v && LLVMIsAConstantInt(v))
    return LLVMConstIntGetZExtValue(v) != 0;
  if (!v || !LLVMIsAInstruction(v) || depth == 0)
    return -1;
  if (LLVMIsAPHINode(v))
    return known_bit(on_the_way(w, v), w, depth - 1);
  if (LLVMIsACastInst(v) || LLVMIsAFreezeInst(v))
    return known_bit(LLVMGetOperand(v, 0), w, depth - 1);
  LLVMOpcode o = LLVMGetInstructionOpcode(v);
  bool compares = o == LLVMXor || o == LLVMICmp;
  int a = compares ? known_bit(LLVMGetOperand(v, 0), w, depth - 1) : -1;
  if (a < 0 || !LLVMIsAConstantInt(LLVMGetOperand(v, 1)))
    return -1;
  int b = LLVMConstIntGetZExtValue(LLVMGetOperand(v, 1)) != 0;
  if (o == LLVMXor || LLVMGetICmpPredicate(v) == LLVMIntNE)
    return a ^ b;
  return LLVMGetICmpPredicate(v) == LLVMIntEQ ? a == b : -1;
}

static LLVMValueRef success_of(LLVMValueRef swap) {
  for (LLVMUseRef u = LLVMGetFirstUse(swap); u; u = LLVMGetNextUse(u)) {
    LLVMValueRef user = LLVMGetUser(u);
    if (LLVMIsAExtractValueInst(user) && LLVMGetIndices(user)[0] == 1)
      return user;
  }
  return NULL;
}

/* Who has swapped leaves the loop before anything else is decided. */
static bool ends_with_success(const struct judged *j, LLVMValueRef swap) {
  struct way w = {.success = success_of(swap)};
  LLVMBasicBlockRef b = LLVMGetInstructionParent(swap);
  while (w.success && w.length < WAY_MAX) {
    w.blocks[w.length++] = b;
    LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
    if (!LLVMIsABranchInst(end))
      return false;
    int way = LLVMIsConditional(end) ? known_bit(LLVMGetCondition(end), &w, 8) : 1;
    if (way < 0)
      return false;
    b = LLVMGetSuccessor(end, (unsigned)!way);
    if (!loop_has_block(j->loops, j->loop, b))
      return true;
    if (loops_number(j->loops, b) == j->loop->header)
      return false;
  }
  return false;
}

/* Looks of each block; false: something else happens in the loop. */
static bool count_looks(const struct judged *j, enum looks which, unsigned *looks) {
  for (unsigned b = 0; b < j->loops->blocks.length; b++) {
    looks[b] = 0;
    if (!j->loop->has[b])
      continue;
    LLVMValueRef i = LLVMGetFirstInstruction(j->loops->blocks.data[b].block);
    for (; i; i = LLVMGetNextInstruction(i)) {
      looks[b] += looks_of(i, which, CALL_DEPTH);
      if (!looks_of(i, LOOKS_ATOMIC, CALL_DEPTH) && !is_quiet(i, CALL_DEPTH) &&
          !(LLVMIsAAtomicCmpXchgInst(i) && ends_with_success(j, i)))
        return false;
    }
  }
  return true;
}

/* At most one on any way round. */
static bool looks_once(const struct judged *j, const unsigned *looks) {
  const struct loops *l = j->loops;
  unsigned *most = calloc(l->blocks.length, sizeof *most);
  bool once = true;
  memcpy(most, looks, l->blocks.length * sizeof *most);
  for (bool changed = true; changed && once;) {
    changed = false;
    for (unsigned b = 0; b < l->blocks.length; b++)
      for (size_t s = 0; j->loop->has[b] && s < l->blocks.data[b].next.length; s++) {
        unsigned to = l->blocks.data[b].next.data[s];
        if (!j->loop->has[to] || to == j->loop->header || most[b] + looks[to] <= most[to])
          continue;
        most[to] = most[b] + looks[to];
        changed = true;
        once &= most[to] <= 1;
      }
  }
  for (unsigned b = 0; b < l->blocks.length; b++)
    once &= most[b] <= 1;
  free(most);
  return once;
}

/* ---- loops that give up ---- */

static LLVMValueRef new_variable(const struct judged *j, LLVMBuilderRef builder) {
  LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(j->function);
  LLVMPositionBuilderBefore(builder, LLVMGetFirstInstruction(entry));
  return LLVMBuildAlloca(builder, LLVMInt1TypeInContext(j->context), "");
}

/* Only where nothing but schedules is explored, or at least that: elsewhere, and in a normal run, the program goes
 * round as often as it says. */
static LLVMValueRef applies(const struct judged *j, LLVMBuilderRef builder, uint64_t at_least) {
  LLVMValueRef watch = helper_watch(j->context, LLVMGetGlobalParent(j->function), builder);
  return LLVMBuildICmp(builder, LLVMIntUGE, watch,
                       LLVMConstInt(LLVMInt64TypeInContext(j->context), at_least, false), "");
}

/* `again`: a round has begun, and no swap has failed in it; it may be the last. */
static void give_up_early(const struct judged *j, LLVMValueRef branch, uint64_t where) {
  const struct loops *l = j->loops;
  LLVMTypeRef bit = LLVMInt1TypeInContext(j->context);
  LLVMValueRef no = LLVMConstInt(bit, 0, false), yes = LLVMConstInt(bit, 1, false);
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(j->context);
  LLVMValueRef again = new_variable(j, builder);
  const struct loops_block *header = &l->blocks.data[j->loop->header];
  for (size_t p = 0; p < header->before.length; p++)
    if (!j->loop->has[header->before.data[p]]) {
      LLVMPositionBuilderBefore(
          builder, LLVMGetBasicBlockTerminator(l->blocks.data[header->before.data[p]].block));
      LLVMBuildStore(builder, no, again);
    }
  LLVMPositionBuilderBefore(builder, phi_end(header->block));
  LLVMValueRef before = LLVMBuildLoad2(builder, bit, again, "");
  LLVMBuildStore(builder, yes, again);
  for (unsigned b = 0; b < l->blocks.length; b++)
    for (LLVMValueRef i = LLVMGetFirstInstruction(l->blocks.data[b].block); i && j->loop->has[b];
         i = LLVMGetNextInstruction(i))
      if (LLVMIsAAtomicCmpXchgInst(i)) {
        LLVMPositionBuilderBefore(builder, i);
        LLVMBuildStore(builder, no, again);
      }
  LLVMPositionBuilderBefore(builder, branch);
  if (LLVMGetInstructionParent(branch) != header->block)
    before = LLVMBuildLoad2(builder, bit, again, "");
  before = LLVMBuildAnd(builder, before, applies(j, builder, where), "");
  bool ends_if_true = !loop_has_block(l, j->loop, LLVMGetSuccessor(branch, 0));
  LLVMValueRef test = LLVMGetCondition(branch);
  LLVMSetCondition(
      branch, ends_if_true ? LLVMBuildOr(builder, test, before, "")
                           : LLVMBuildAnd(builder, test, LLVMBuildNot(builder, before, ""), ""));
  LLVMDisposeBuilder(builder);
}

/* The same in every round, though it goes through phis. */
static bool stays(const struct judged *j, LLVMValueRef phi) {
  for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
    LLVMValueRef v = LLVMGetIncomingValue(phi, i);
    if (!loop_has_block(j->loops, j->loop, LLVMGetIncomingBlock(phi, i)))
      continue;
    while (v != phi && LLVMIsAPHINode(v) && LLVMCountIncoming(v) == 1)
      v = LLVMGetIncomingValue(v, 0);
    if (v != phi)
      return false;
  }
  return true;
}

static bool shorten(struct judged *j) {
  LLVMBasicBlockRef header = j->loops->blocks.data[j->loop->header].block;
  unsigned *looks = calloc(j->loops->blocks.length, sizeof *looks);
  bool all_once = count_looks(j, LOOKS_ALL, looks) && looks_once(j, looks);
  bool fits = count_looks(j, LOOKS_ATOMIC, looks) && looks_once(j, looks);
  unsigned total = 0; /* a loop that only pauses says how long, where there is one schedule */
  for (size_t b = 0; b < j->loops->blocks.length; b++)
    total += looks[b];
  fits = fits && total;
  free(looks);
  j->counts.length = j->branches.length = 0;
  for (LLVMValueRef i = LLVMGetFirstInstruction(header); i && LLVMIsAPHINode(i) && fits;
       i = LLVMGetNextInstruction(i)) {
    bool one;
    LLVMValueRef next;
    if (stays(j, i))
      continue;
    fits = is_number(j, i, &next, &one);
    vec_push(&j->counts, i);
  }
  LLVMValueRef way_out = NULL;
  if (!fits || !is_of_no_consequence(j, &way_out) || !way_out || !is_bound(j, way_out))
    return false;
  give_up_early(j, way_out, all_once ? ABI_WATCH_SCHEDULES : ABI_WATCH_RACES);
  return true;
}

/* ---- numbers that only say how long to pause ---- */

/* The number does not change on this way back to the header. */
static void stay(const struct judged *j, LLVMValueRef phi, unsigned way) {
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(j->context);
  LLVMPositionBuilderBefore(builder, LLVMGetBasicBlockTerminator(LLVMGetIncomingBlock(phi, way)));
  LLVMSetOperand(phi, way,
                 LLVMBuildSelect(builder, applies(j, builder, ABI_WATCH_SCHEDULES), phi,
                                 LLVMGetIncomingValue(phi, way), ""));
  LLVMDisposeBuilder(builder);
}

static void freeze(struct judged *j) {
  LLVMBasicBlockRef header = j->loops->blocks.data[j->loop->header].block;
  for (LLVMValueRef phi = LLVMGetFirstInstruction(header); phi && LLVMIsAPHINode(phi);
       phi = LLVMGetNextInstruction(phi)) {
    j->counts.length = j->branches.length = 0;
    vec_push(&j->counts, phi);
    if (LLVMGetTypeKind(LLVMTypeOf(phi)) != LLVMIntegerTypeKind || !is_of_no_consequence(j, NULL))
      continue;
    for (size_t c = 0; c < j->counts.length; c++)
      for (unsigned i = 0;
           is_header_phi(j, j->counts.data[c]) && i < LLVMCountIncoming(j->counts.data[c]); i++)
        if (loop_has_block(j->loops, j->loop, LLVMGetIncomingBlock(j->counts.data[c], i)))
          stay(j, j->counts.data[c], i);
  }
}

/* Outer loops first: what is added to them is not in the way of inner ones. */
static bool shorten_loops_of(LLVMContextRef context, LLVMValueRef function) {
  struct loops loops;
  bool changed = false;
  loops_find(&loops, function);
  for (int shortens = 0; shortens < 2; shortens++)
    for (size_t i = loops.list.length; i-- > 0;) {
      struct judged j = {.context = context, .function = function, .loops = &loops};
      j.loop = &loops.list.data[i];
      if (j.loop->size <= SIZE_MAX_BLOCKS && !shortens)
        freeze(&j);
      else if (j.loop->size <= SIZE_MAX_BLOCKS)
        changed |= shorten(&j);
      vec_free(&j.counts);
      vec_free(&j.branches);
    }
  loops_free(&loops);
  return changed;
}

bool counting_shorten(LLVMContextRef context, LLVMModuleRef module) {
  bool changed = false;
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
    if (!LLVMIsDeclaration(f))
      straighten_ways(context, f);
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
    if (!LLVMIsDeclaration(f))
      changed |= shorten_loops_of(context, f);
  return changed;
}
