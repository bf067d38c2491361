/* Barriers of which nobody looks at who was the last: their calls get another name (ABI_BARRIER_WAIT), because then the
 * order of arrivals makes no difference.
 *
 * The result is 0, or PTHREAD_BARRIER_SERIAL_THREAD for one of the threads, or an error.  A program that only looks whether it is
 * an error,
 *
 *      if (r != 0 && r != PTHREAD_BARRIER_SERIAL_THREAD) ...
 *
 * goes the same way with the first two: through blocks that do nothing but compare it. */
#include "abi/abi.h"
#include "instrument/call.h"
#include "instrument/phi.h"
#include <pthread.h>
#include <string.h>

#define COMPARISONS_MAX 4

/* What the block's last branch decides by, if that is a comparison of the value with a constant; NULL: it is none. */
static LLVMValueRef comparison_in(LLVMBasicBlockRef block, LLVMValueRef value) {
  LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
  if (!end || !LLVMIsABranchInst(end) || !LLVMIsConditional(end))
    return NULL;
  LLVMValueRef condition = LLVMGetCondition(end);
  bool compares = LLVMIsAICmpInst(condition) && LLVMGetInstructionParent(condition) == block &&
                  LLVMGetOperand(condition, 0) == value &&
                  LLVMIsAConstantInt(LLVMGetOperand(condition, 1));
  return compares ? condition : NULL;
}

static bool holds(LLVMValueRef comparison, int a) {
  long b = LLVMConstIntGetSExtValue(LLVMGetOperand(comparison, 1));
  switch (LLVMGetICmpPredicate(comparison)) {
  case LLVMIntEQ:
    return a == b;
  case LLVMIntNE:
    return a != b;
  case LLVMIntSGT:
    return a > b;
  case LLVMIntSGE:
    return a >= b;
  case LLVMIntSLT:
    return a < b;
  case LLVMIntSLE:
    return a <= b;
  case LLVMIntUGT:
    return (unsigned)a > (unsigned)b;
  case LLVMIntUGE:
    return (unsigned)a >= (unsigned)b;
  case LLVMIntULT:
    return (unsigned)a < (unsigned)b;
  case LLVMIntULE:
    return (unsigned)a <= (unsigned)b;
  }
  return false;
}

/* Does it do nothing else? */
static bool only_compares(LLVMBasicBlockRef block, LLVMValueRef value) {
  LLVMValueRef condition = comparison_in(block, value);
  return condition && LLVMGetFirstInstruction(block) == condition &&
         LLVMGetNextInstruction(condition) == LLVMGetBasicBlockTerminator(block);
}

/* Blocks that compare the result, from that of the call on, by a thread whose barrier has worked. */
struct way {
  LLVMBasicBlockRef blocks[2 * COMPARISONS_MAX];
  int count;
};

static bool is_on_way(const struct way *w, LLVMBasicBlockRef block) {
  for (int i = 0; i < w->count; i++)
    if (w->blocks[i] == block)
      return true;
  return false;
}

/* Where a thread comes to with that result: *from, the last block that compares it. */
static LLVMBasicBlockRef follow(LLVMBasicBlockRef block, LLVMValueRef value, int result,
                                struct way *w, LLVMBasicBlockRef *from) {
  int count = 0;
  do {
    bool so = holds(comparison_in(block, value), result);
    *from = w->blocks[w->count++] = block;
    block = LLVMGetSuccessor(LLVMGetBasicBlockTerminator(block), so ? 0 : 1);
  } while (++count < COMPARISONS_MAX && only_compares(block, value));
  return block;
}

/* Do all branches to the block come from the way? */
static bool only_from(const struct way *w, LLVMBasicBlockRef block) {
  for (LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(block)); use;
       use = LLVMGetNextUse(use))
    if (!LLVMIsAInstruction(LLVMGetUser(use)) ||
        !is_on_way(w, LLVMGetInstructionParent(LLVMGetUser(use))))
      return false;
  return true;
}

static bool same_values(LLVMBasicBlockRef block, LLVMBasicBlockRef a, LLVMBasicBlockRef b) {
  for (LLVMValueRef i = LLVMGetFirstInstruction(block); i && LLVMIsAPHINode(i);
       i = LLVMGetNextInstruction(i))
    if (phi_from(i, a) != phi_from(i, b))
      return false;
  return true;
}

/* Other uses are where only errors lead. */
static bool only_looks_for_errors(LLVMValueRef call) {
  LLVMBasicBlockRef block = LLVMGetInstructionParent(call), from, from_last;
  struct way w = {.count = 0};
  if (!comparison_in(block, call))
    return false;
  LLVMBasicBlockRef usual = follow(block, call, 0, &w, &from);
  if (follow(block, call, PTHREAD_BARRIER_SERIAL_THREAD, &w, &from_last) != usual ||
      !same_values(usual, from, from_last))
    return false;
  for (int i = 0; i < w.count; i++)
    if (w.blocks[i] == usual || (w.blocks[i] != block && !only_from(&w, w.blocks[i])))
      return false;
  for (LLVMUseRef use = LLVMGetFirstUse(call); use; use = LLVMGetNextUse(use)) {
    LLVMBasicBlockRef at = LLVMGetInstructionParent(LLVMGetUser(use));
    bool compares = is_on_way(&w, at) && comparison_in(at, call) == LLVMGetUser(use);
    if (!compares && (at == usual || is_on_way(&w, at) || !only_from(&w, at)))
      return false;
  }
  return true;
}

void rename_barrier(struct pass *pass, LLVMValueRef call, const char *name) {
  if (strcmp(name, "pthread_barrier_wait") != 0 || !LLVMIsACallInst(call) ||
      !LLVMIsDeclaration(LLVMGetCalledValue(call)) ||
      (LLVMGetFirstUse(call) && !only_looks_for_errors(call)))
    return;
  LLVMValueRef other = LLVMGetNamedFunction(pass->module, ABI_BARRIER_WAIT_SYMBOL);
  if (!other)
    other = LLVMAddFunction(pass->module, ABI_BARRIER_WAIT_SYMBOL, LLVMGetCalledFunctionType(call));
  LLVMSetOperand(call, (unsigned)LLVMGetNumOperands(call) - 1, other);
}
