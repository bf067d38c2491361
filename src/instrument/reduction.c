/* Reductions of OpenMP.  The compiler has each thread ask how it is to add its part: under a lock (1), or with atomic
 * instructions (2).  In which order threads come to a lock is explored; integers are added in any order with the same
 * result, which nobody looks at before the end, so they are added atomically without asking. */
#include "instrument/call.h"
#include <string.h>

#define ATOMICALLY 2

/* Additions and exclusive ors, for which the order makes no difference (event/operation.h). */
static bool adds_up(LLVMValueRef rmw) {
  LLVMAtomicRMWBinOp op = LLVMGetAtomicRMWBinOp(rmw);
  return !LLVMGetFirstUse(rmw) && (op == LLVMAtomicRMWBinOpAdd || op == LLVMAtomicRMWBinOpSub ||
                                   op == LLVMAtomicRMWBinOpXor);
}

static bool is_end(LLVMValueRef i) {
  size_t length;
  LLVMValueRef callee = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
  return callee && strcmp(LLVMGetValueName2(callee, &length), "__kmpc_end_reduce") == 0;
}

/* Does the block add integers, and nothing else?  *end: what it calls when it has. */
static bool only_adds(LLVMBasicBlockRef block, LLVMValueRef *end) {
  int count = 0;
  *end = NULL;
  for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
    if (is_end(i))
      *end = i;
    else if (LLVMIsAAtomicRMWInst(i) && adds_up(i))
      count++;
    else if (!LLVMIsALoadInst(i) && !LLVMIsACastInst(i) && !LLVMIsABranchInst(i))
      return false;
  }
  return count > 0;
}

/* Where the thread goes if the answer is 2, if from there it goes right to where all meet again; otherwise NULL: there is
 * more to do than that block, a loop around a compare-and-swap for instance. */
static LLVMBasicBlockRef atomic_block(LLVMValueRef call) {
  LLVMUseRef use = LLVMGetFirstUse(call);
  LLVMValueRef choice = use && !LLVMGetNextUse(use) ? LLVMGetUser(use) : NULL;
  if (!choice || !LLVMIsASwitchInst(choice))
    return NULL;
  for (unsigned i = 2; i + 1 < (unsigned)LLVMGetNumOperands(choice); i += 2)
    if (LLVMConstIntGetZExtValue(LLVMGetOperand(choice, i)) == ATOMICALLY) {
      LLVMBasicBlockRef block = LLVMValueAsBasicBlock(LLVMGetOperand(choice, i + 1));
      LLVMValueRef way = LLVMGetBasicBlockTerminator(block);
      bool meets = LLVMIsABranchInst(way) && LLVMGetNumSuccessors(way) == 1 &&
                   LLVMGetSuccessor(way, 0) == LLVMGetSwitchDefaultDest(choice);
      return meets ? block : NULL;
    }
  return NULL;
}

bool rewrite_reduction(struct pass *pass, LLVMValueRef call, const char *name) {
  if (strcmp(name, "__kmpc_reduce") != 0 && strcmp(name, "__kmpc_reduce_nowait") != 0)
    return false;
  LLVMBasicBlockRef block = atomic_block(call);
  LLVMValueRef end;
  if (!block || !only_adds(block, &end))
    return false;
  if (end) { /* nobody holds the lock, but all meet */
    static const char symbol[] = "__tidemark_end_reduce";
    LLVMValueRef other = LLVMGetNamedFunction(pass->module, symbol);
    if (!other)
      other = LLVMAddFunction(pass->module, symbol, LLVMGetCalledFunctionType(end));
    LLVMSetOperand(end, (unsigned)LLVMGetNumOperands(end) - 1, other);
  }
  pass_replace(call, pass_int(pass, pass->i32, ATOMICALLY));
  return true;
}
