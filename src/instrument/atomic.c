#include "instrument/atomic.h"
#include "base/check.h"
#include "instrument/helper.h"
#include "instrument/site.h"

#define USES_DEEP 6 /* what is computed from a result, and not used, is followed so far */

static enum abi_order order_of(LLVMAtomicOrdering ordering) {
  switch (ordering) {
  case LLVMAtomicOrderingAcquire:
    return ABI_ACQUIRE;
  case LLVMAtomicOrderingRelease:
    return ABI_RELEASE;
  case LLVMAtomicOrderingAcquireRelease:
    return ABI_ACQ_REL;
  case LLVMAtomicOrderingSequentiallyConsistent:
    return ABI_SEQ_CST;
  default:
    return ABI_RELAXED;
  }
}

static LLVMValueRef order_value(struct pass *pass, enum abi_order order) {
  return pass_int(pass, pass->i32, order);
}

static LLVMTypeRef i128(struct pass *pass) {
  return pass_int_type(pass, 16);
}

static unsigned int_bytes(LLVMValueRef value) {
  return LLVMGetIntTypeWidth(LLVMTypeOf(value)) / 8;
}

static unsigned log2_bytes(unsigned bytes) {
  return (unsigned)__builtin_ctz(bytes);
}

/* i128 atomic_load16(address, order, site): the value travels through a slot. */
static LLVMValueRef load16(struct pass *pass, LLVMValueRef address, LLVMValueRef order,
                           LLVMValueRef site) {
  bool is_new;
  struct helper_key key = {.kind = "atomic_load16"};
  LLVMTypeRef parameters[] = {pass->ptr, pass->i32, pass->ptr};
  LLVMTypeRef type = LLVMFunctionType(i128(pass), parameters, 3, false);
  LLVMValueRef f = helper_get(pass, &key, type, &is_new);
  if (is_new) {
    LLVMValueRef slot = helper_slot(pass, i128(pass), NULL);
    LLVMValueRef arguments[] = {slot, LLVMGetParam(f, 0), LLVMGetParam(f, 1), LLVMGetParam(f, 2)};
    hook_call(pass, HOOK_atomic_load16, arguments);
    LLVMBuildRet(pass->builder, LLVMBuildLoad2(pass->builder, i128(pass), slot, ""));
    helper_finish(pass);
  }
  return LLVMBuildCall2(pass->builder, type, f, (LLVMValueRef[]){address, order, site}, 3, "");
}

static void store16(struct pass *pass, LLVMValueRef address, LLVMValueRef value, LLVMValueRef order,
                    LLVMValueRef site) {
  bool is_new;
  struct helper_key key = {.kind = "atomic_store16"};
  LLVMTypeRef parameters[] = {pass->ptr, i128(pass), pass->i32, pass->ptr};
  LLVMTypeRef type = LLVMFunctionType(pass->void_type, parameters, 4, false);
  LLVMValueRef f = helper_get(pass, &key, type, &is_new);
  if (is_new) {
    LLVMValueRef slot = helper_slot(pass, i128(pass), LLVMGetParam(f, 1));
    LLVMValueRef arguments[] = {LLVMGetParam(f, 0), slot, LLVMGetParam(f, 2), LLVMGetParam(f, 3)};
    hook_call(pass, HOOK_atomic_store16, arguments);
    LLVMBuildRetVoid(pass->builder);
    helper_finish(pass);
  }
  LLVMValueRef arguments[] = {address, value, order, site};
  LLVMBuildCall2(pass->builder, type, f, arguments, 4, "");
}

static LLVMValueRef cas16(struct pass *pass, LLVMValueRef *arguments) {
  bool is_new;
  struct helper_key key = {.kind = "cas16"};
  LLVMTypeRef parameters[] = {pass->ptr, i128(pass), i128(pass), pass->i32, pass->ptr};
  LLVMTypeRef type = LLVMFunctionType(i128(pass), parameters, 5, false);
  LLVMValueRef f = helper_get(pass, &key, type, &is_new);
  if (is_new) {
    LLVMValueRef old = helper_slot(pass, i128(pass), NULL);
    LLVMValueRef expected = helper_slot(pass, i128(pass), LLVMGetParam(f, 1));
    LLVMValueRef desired = helper_slot(pass, i128(pass), LLVMGetParam(f, 2));
    LLVMValueRef inner[] = {old,     LLVMGetParam(f, 0), expected,
                            desired, LLVMGetParam(f, 3), LLVMGetParam(f, 4)};
    hook_call(pass, HOOK_cas16, inner);
    LLVMBuildRet(pass->builder, LLVMBuildLoad2(pass->builder, i128(pass), old, ""));
    helper_finish(pass);
  }
  return LLVMBuildCall2(pass->builder, type, f, arguments, 5, "");
}

LLVMValueRef atomic_cas(struct pass *pass, LLVMValueRef address, LLVMValueRef expected,
                        LLVMValueRef desired, LLVMValueRef order, LLVMValueRef site) {
  LLVMValueRef arguments[] = {address, expected, desired, order, site};
  unsigned bytes = int_bytes(expected);
  return bytes == 16 ? cas16(pass, arguments)
                     : hook_call(pass, HOOK_cas1 + log2_bytes(bytes), arguments);
}

LLVMValueRef atomic_load(struct pass *pass, LLVMValueRef address, unsigned bytes,
                         LLVMValueRef order, LLVMValueRef site) {
  if (bytes == 16)
    return load16(pass, address, order, site);
  LLVMValueRef arguments[] = {address, order, site};
  return hook_call(pass, HOOK_atomic_load1 + log2_bytes(bytes), arguments);
}

void atomic_store(struct pass *pass, LLVMValueRef address, LLVMValueRef value, LLVMValueRef order,
                  LLVMValueRef site) {
  if (int_bytes(value) == 16) {
    store16(pass, address, value, order, site);
    return;
  }
  LLVMValueRef arguments[] = {address, value, order, site};
  hook_call(pass, HOOK_atomic_store1 + log2_bytes(int_bytes(value)), arguments);
}

/* 1, 2, 4, 8, 16, or 0 for what the hooks do not carry. */
static unsigned atomic_bytes(struct pass *pass, LLVMTypeRef type) {
  unsigned bytes = pass_scalar_bytes(pass, type);
  return !bytes && LLVMSizeOfTypeInBits(pass->layout, type) == 128 ? 16 : bytes;
}

bool rewrite_atomic_load(struct pass *pass, LLVMValueRef instruction) {
  LLVMTypeRef type = LLVMTypeOf(instruction);
  unsigned bytes = atomic_bytes(pass, type);
  if (!bytes)
    return false;
  LLVMValueRef order = order_value(pass, order_of(LLVMGetOrdering(instruction)));
  LLVMValueRef value =
      atomic_load(pass, LLVMGetOperand(instruction, 0), bytes, order, site_of(pass, instruction));
  pass_replace(instruction, pass_from_int(pass, value, type));
  return true;
}

bool rewrite_atomic_store(struct pass *pass, LLVMValueRef instruction) {
  LLVMValueRef value = LLVMGetOperand(instruction, 0);
  if (!atomic_bytes(pass, LLVMTypeOf(value)))
    return false;
  LLVMValueRef order = order_value(pass, order_of(LLVMGetOrdering(instruction)));
  atomic_store(pass, LLVMGetOperand(instruction, 1), pass_to_int(pass, value), order,
               site_of(pass, instruction));
  pass_replace(instruction, NULL);
  return true;
}

/* The new value of operations that hooks do not know, on values of the instruction's type. */
static LLVMValueRef compute(struct pass *pass, LLVMAtomicRMWBinOp op, LLVMValueRef old,
                            LLVMValueRef operand) {
  LLVMBuilderRef b = pass->builder;
  LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(old)), edge;
  switch (op) {
  case LLVMAtomicRMWBinOpXchg:
    return operand;
  case LLVMAtomicRMWBinOpAdd:
    return LLVMBuildAdd(b, old, operand, "");
  case LLVMAtomicRMWBinOpSub:
    return LLVMBuildSub(b, old, operand, "");
  case LLVMAtomicRMWBinOpAnd:
    return LLVMBuildAnd(b, old, operand, "");
  case LLVMAtomicRMWBinOpNand:
    return LLVMBuildNot(b, LLVMBuildAnd(b, old, operand, ""), "");
  case LLVMAtomicRMWBinOpOr:
    return LLVMBuildOr(b, old, operand, "");
  case LLVMAtomicRMWBinOpXor:
    return LLVMBuildXor(b, old, operand, "");
  case LLVMAtomicRMWBinOpMax:
    return LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntSGT, old, operand, ""), old, operand, "");
  case LLVMAtomicRMWBinOpMin:
    return LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntSLT, old, operand, ""), old, operand, "");
  case LLVMAtomicRMWBinOpUMax:
    return LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntUGT, old, operand, ""), old, operand, "");
  case LLVMAtomicRMWBinOpUMin:
    return LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntULT, old, operand, ""), old, operand, "");
  case LLVMAtomicRMWBinOpFAdd:
    return LLVMBuildFAdd(b, old, operand, "");
  case LLVMAtomicRMWBinOpFSub:
    return LLVMBuildFSub(b, old, operand, "");
  case LLVMAtomicRMWBinOpFMax:
    return LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealUGT, old, operand, ""), old, operand, "");
  case LLVMAtomicRMWBinOpFMin:
    return LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealULT, old, operand, ""), old, operand, "");
  case LLVMAtomicRMWBinOpUIncWrap:
    edge = LLVMBuildICmp(b, LLVMIntUGE, old, operand, "");
    return LLVMBuildSelect(b, edge, zero,
                           LLVMBuildAdd(b, old, LLVMConstInt(LLVMTypeOf(old), 1, false), ""), "");
  case LLVMAtomicRMWBinOpUDecWrap:
    edge = LLVMBuildOr(b, LLVMBuildICmp(b, LLVMIntEQ, old, zero, ""),
                       LLVMBuildICmp(b, LLVMIntUGT, old, operand, ""), "");
    return LLVMBuildSelect(b, edge, operand,
                           LLVMBuildSub(b, old, LLVMConstInt(LLVMTypeOf(old), 1, false), ""), "");
  }
  CHECK(false, "atomicrmw operation %d", (int)op);
  return NULL;
}

/* T rmw_loop(address, operand, order, site): load, compute, compare and exchange. */
static void fill_rmw_loop(struct pass *pass, LLVMValueRef f, LLVMAtomicRMWBinOp op,
                          LLVMTypeRef type) {
  LLVMBuilderRef b = pass->builder;
  LLVMValueRef address = LLVMGetParam(f, 0), operand = LLVMGetParam(f, 1);
  LLVMValueRef order = LLVMGetParam(f, 2), site = LLVMGetParam(f, 3);
  unsigned bytes = atomic_bytes(pass, type);
  LLVMBasicBlockRef entry = LLVMGetInsertBlock(b), loop = helper_block(pass, "loop");
  LLVMBasicBlockRef done = helper_block(pass, "done");
  LLVMValueRef first = atomic_load(pass, address, bytes, order_value(pass, ABI_RELAXED), site);
  LLVMBuildBr(b, loop);
  LLVMPositionBuilderAtEnd(b, loop);
  LLVMValueRef expected = LLVMBuildPhi(b, pass_int_type(pass, bytes), "");
  LLVMValueRef desired = compute(pass, op, pass_from_int(pass, expected, type), operand);
  LLVMValueRef old = atomic_cas(pass, address, expected, pass_to_int(pass, desired), order, site);
  LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, old, expected, ""), done, loop);
  LLVMAddIncoming(expected, (LLVMValueRef[]){first, old}, (LLVMBasicBlockRef[]){entry, loop}, 2);
  LLVMPositionBuilderAtEnd(b, done);
  LLVMBuildRet(b, pass_from_int(pass, old, type));
}

static LLVMValueRef rmw_loop(struct pass *pass, LLVMAtomicRMWBinOp op, LLVMValueRef address,
                             LLVMValueRef operand, LLVMValueRef order, LLVMValueRef site) {
  bool is_new;
  LLVMTypeRef of = LLVMTypeOf(operand);
  struct helper_key key = {.kind = "rmw_loop", .type = of, .number = (uint64_t)op};
  LLVMTypeRef parameters[] = {pass->ptr, of, pass->i32, pass->ptr};
  LLVMTypeRef type = LLVMFunctionType(of, parameters, 4, false);
  LLVMValueRef f = helper_get(pass, &key, type, &is_new);
  if (is_new) {
    fill_rmw_loop(pass, f, op, of);
    helper_finish(pass);
  }
  LLVMValueRef arguments[] = {address, operand, order, site};
  return LLVMBuildCall2(pass->builder, type, f, arguments, 4, "");
}

static const struct {
  LLVMAtomicRMWBinOp llvm;
  enum abi_rmw abi;
} operations[] = {
    {LLVMAtomicRMWBinOpXchg, ABI_RMW_XCHG}, {LLVMAtomicRMWBinOpAdd, ABI_RMW_ADD},
    {LLVMAtomicRMWBinOpSub, ABI_RMW_SUB},   {LLVMAtomicRMWBinOpAnd, ABI_RMW_AND},
    {LLVMAtomicRMWBinOpNand, ABI_RMW_NAND}, {LLVMAtomicRMWBinOpOr, ABI_RMW_OR},
    {LLVMAtomicRMWBinOpXor, ABI_RMW_XOR},   {LLVMAtomicRMWBinOpMax, ABI_RMW_MAX},
    {LLVMAtomicRMWBinOpMin, ABI_RMW_MIN},   {LLVMAtomicRMWBinOpUMax, ABI_RMW_UMAX},
    {LLVMAtomicRMWBinOpUMin, ABI_RMW_UMIN},
};

LLVMValueRef atomic_rmw(struct pass *pass, enum abi_rmw op, LLVMValueRef address,
                        LLVMValueRef operand, LLVMValueRef order, LLVMValueRef site) {
  if (int_bytes(operand) == 16)
    return rmw_loop(pass, operations[op].llvm, address, operand, order, site);
  LLVMValueRef arguments[] = {address, operand, pass_int(pass, pass->i32, op), order, site};
  return hook_call(pass, HOOK_rmw1 + log2_bytes(int_bytes(operand)), arguments);
}

bool rewrite_rmw(struct pass *pass, LLVMValueRef instruction) {
  LLVMTypeRef type = LLVMTypeOf(instruction);
  if (!atomic_bytes(pass, type))
    return false;
  LLVMAtomicRMWBinOp op = LLVMGetAtomicRMWBinOp(instruction);
  LLVMValueRef address = LLVMGetOperand(instruction, 0), operand = LLVMGetOperand(instruction, 1);
  LLVMValueRef order = order_value(pass, order_of(LLVMGetOrdering(instruction)));
  LLVMValueRef site = site_of(pass, instruction), old = NULL;
  for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
    if (operations[i].llvm == op)
      old = pass_from_int(
          pass,
          atomic_rmw(pass, operations[i].abi, address, pass_to_int(pass, operand), order, site),
          type);
  if (!old)
    old = rmw_loop(pass, op, address, operand, order, site);
  pass_replace(instruction, old);
  return true;
}

/* Does anything but instructions without an effect use the value? */
static bool is_used(LLVMValueRef value, int depth) {
  for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    bool computes = LLVMIsABinaryOperator(user) || LLVMIsACastInst(user) || LLVMIsAICmpInst(user) ||
                    LLVMIsASelectInst(user);
    if (!computes || depth == 0 || is_used(user, depth - 1))
      return true;
  }
  return false;
}

void atomic_mark_unused(struct pass *pass) {
  for (int hook = HOOK_rmw1; hook <= HOOK_rmw8; hook++) {
    LLVMValueRef function = pass->hooks[hook].value;
    for (LLVMUseRef use = function ? LLVMGetFirstUse(function) : NULL; use;
         use = LLVMGetNextUse(use)) {
      LLVMValueRef call = LLVMGetUser(use),
                   op = LLVMIsACallInst(call) ? LLVMGetOperand(call, 2) : NULL;
      if (op && LLVMIsAConstantInt(op) && !is_used(call, USES_DEEP))
        LLVMSetOperand(call, 2,
                       pass_int(pass, pass->i32, LLVMConstIntGetZExtValue(op) | ABI_RMW_UNUSED));
    }
  }
}

static bool acquires(enum abi_order order) {
  return order != ABI_RELAXED && order != ABI_RELEASE;
}

static LLVMValueRef cas_orders(struct pass *pass, LLVMValueRef instruction) {
  enum abi_order success = order_of(LLVMGetCmpXchgSuccessOrdering(instruction));
  enum abi_order failure = order_of(LLVMGetCmpXchgFailureOrdering(instruction));
  bool alike = acquires(success) == acquires(failure);
  return pass_int(pass, pass->i32, alike ? success : ABI_CAS_ORDERS(success, failure));
}

bool rewrite_cmpxchg(struct pass *pass, LLVMValueRef instruction) {
  LLVMBuilderRef b = pass->builder;
  LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(instruction, 1));
  if (!atomic_bytes(pass, type))
    return false;
  LLVMValueRef expected = pass_to_int(pass, LLVMGetOperand(instruction, 1));
  LLVMValueRef desired = pass_to_int(pass, LLVMGetOperand(instruction, 2));
  LLVMValueRef old = atomic_cas(pass, LLVMGetOperand(instruction, 0), expected, desired,
                                cas_orders(pass, instruction), site_of(pass, instruction));
  LLVMValueRef same = LLVMBuildICmp(b, LLVMIntEQ, old, expected, "");
  LLVMValueRef pair = LLVMGetPoison(LLVMTypeOf(instruction));
  pair = LLVMBuildInsertValue(b, pair, pass_from_int(pass, old, type), 0, "");
  pass_replace(instruction, LLVMBuildInsertValue(b, pair, same, 1, ""));
  return true;
}

/* A fence within one thread (atomic_signal_fence) only concerns the compiler. */
bool rewrite_fence(struct pass *pass, LLVMValueRef instruction) {
  if (LLVMIsAtomicSingleThread(instruction))
    return false;
  LLVMValueRef order = order_value(pass, order_of(LLVMGetOrdering(instruction)));
  hook_call(pass, HOOK_atomic_fence, (LLVMValueRef[]){order, site_of(pass, instruction)});
  pass_replace(instruction, NULL);
  return true;
}
