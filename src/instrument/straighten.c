#include "instrument/straighten.h"
#include "instrument/loops.h"
#include "instrument/phi.h"

static LLVMBasicBlockRef target_of(LLVMValueRef end, LLVMValueRef number) {
  for (unsigned c = 1; c < LLVMGetNumSuccessors(end); c++)
    if (LLVMGetOperand(end, 2 * c) == number)
      return LLVMGetSuccessor(end, c);
  return LLVMGetSwitchDefaultDest(end);
}

/* Where `way` leads through the switch, or NULL if it does not say. */
static LLVMBasicBlockRef leads_to(LLVMBasicBlockRef way, LLVMValueRef end) {
  LLVMValueRef number = LLVMGetOperand(end, 0);
  if (!LLVMIsAPHINode(number) || LLVMGetInstructionParent(number) != LLVMGetInstructionParent(end))
    return NULL;
  LLVMValueRef known = phi_from(number, way);
  if (!known || !LLVMIsAConstantInt(known))
    return NULL;
  return target_of(end, known);
}

static bool only_chooses(LLVMBasicBlockRef b) {
  return phi_end(b) == LLVMGetBasicBlockTerminator(b) &&
         LLVMIsASwitchInst(LLVMGetBasicBlockTerminator(b));
}

/* The phis of `to`, as they are when it is reached from `way` without `through`. */
static void tell_phis(LLVMBasicBlockRef to, LLVMBasicBlockRef through, LLVMBasicBlockRef way) {
  for (LLVMValueRef phi = LLVMGetFirstInstruction(to); LLVMIsAPHINode(phi);
       phi = LLVMGetNextInstruction(phi)) {
    LLVMValueRef v = phi_from(phi, through);
    if (LLVMIsAPHINode(v) && LLVMGetInstructionParent(v) == through)
      v = phi_from(v, way);
    LLVMAddIncoming(phi, &v, &way, 1);
  }
}

/* A phi without one of its ways, which may be there several times. */
static void forget_way(LLVMBuilderRef builder, LLVMValueRef phi, LLVMBasicBlockRef way) {
  LLVMPositionBuilderBefore(builder, phi);
  LLVMValueRef new = LLVMBuildPhi(builder, LLVMTypeOf(phi), "");
  bool forgotten = false;
  for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
    LLVMValueRef v = LLVMGetIncomingValue(phi, i);
    LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, i);
    if (from == way && !forgotten)
      forgotten = true;
    else
      LLVMAddIncoming(new, &v, &from, 1);
  }
  bool dead = LLVMCountIncoming(new) == 0; /* and so is its block */
  LLVMReplaceAllUsesWith(phi, dead ? LLVMGetUndef(LLVMTypeOf(phi)) : new);
  LLVMInstructionEraseFromParent(phi);
  if (dead)
    LLVMInstructionEraseFromParent(new);
}

static void forget_in_phis(LLVMBuilderRef builder, LLVMBasicBlockRef in, LLVMBasicBlockRef way) {
  VEC(LLVMValueRef) phis = {0};
  for (LLVMValueRef i = LLVMGetFirstInstruction(in); LLVMIsAPHINode(i);
       i = LLVMGetNextInstruction(i))
    vec_push(&phis, i);
  for (size_t i = 0; i < phis.length; i++)
    forget_way(builder, phis.data[i], way);
  vec_free(&phis);
}

static void go_straight(LLVMContextRef context, LLVMBasicBlockRef way, LLVMBasicBlockRef through,
                        LLVMBasicBlockRef to) {
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
  tell_phis(to, through, way);
  LLVMSetSuccessor(LLVMGetBasicBlockTerminator(way), 0, to);
  forget_in_phis(builder, through, way);
  LLVMDisposeBuilder(builder);
}

/* One way out of a loop; false: there is none left. */
static bool straighten_one(LLVMContextRef context, const struct loops *l) {
  for (size_t i = 0; i < l->list.length; i++)
    for (unsigned b = 0; b < l->blocks.length; b++) {
      const struct loop *loop = &l->list.data[i];
      const struct loops_block *through = &l->blocks.data[b];
      if (!loop->has[b] || b == loop->header || through->before.length < 2 ||
          !only_chooses(through->block))
        continue;
      for (size_t p = 0; p < through->before.length; p++) {
        LLVMBasicBlockRef way = l->blocks.data[through->before.data[p]].block;
        LLVMValueRef end = LLVMGetBasicBlockTerminator(way);
        LLVMBasicBlockRef to = leads_to(way, LLVMGetBasicBlockTerminator(through->block));
        if (!to || !LLVMIsABranchInst(end) || LLVMIsConditional(end) ||
            loop_has_block(l, loop, to) || loops_dominates(l, b, loops_number(l, to)))
          continue;
        go_straight(context, way, through->block, to);
        return true;
      }
    }
  return false;
}

/* The order of an atomic operation that is an argument is a switch, in which a function that was put in its place has
 * a constant. */
static void decide_switches(LLVMContextRef context, LLVMValueRef function) {
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b)) {
    LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
    if (!end || !LLVMIsASwitchInst(end) || !LLVMIsAConstantInt(LLVMGetOperand(end, 0)))
      continue;
    LLVMBasicBlockRef to = target_of(end, LLVMGetOperand(end, 0));
    bool kept = false;
    for (unsigned s = 0; s < LLVMGetNumSuccessors(end); s++) {
      LLVMBasicBlockRef other = LLVMGetSuccessor(end, s);
      bool once = !(other == to && !kept);
      kept |= other == to;
      if (once)
        forget_in_phis(builder, other, b);
    }
    LLVMPositionBuilderBefore(builder, end);
    LLVMBuildBr(builder, to);
    LLVMInstructionEraseFromParent(end);
  }
  LLVMDisposeBuilder(builder);
}

void straighten_ways(LLVMContextRef context, LLVMValueRef function) {
  struct loops loops;
  bool more = true;
  decide_switches(context, function);
  while (more) {
    loops_find(&loops, function);
    more = straighten_one(context, &loops);
    loops_free(&loops);
  }
}
