#include "instrument/ends.h"
#include "instrument/helper.h"
#include <llvm-c/DebugInfo.h>
#include <string.h>

#define TRAP_NUMBERS 256

/* ---- one of two ---- */

static bool never_returns(LLVMValueRef call) {
  unsigned kind = LLVMGetEnumAttributeKindForName("noreturn", 8);
  LLVMValueRef callee = LLVMGetCalledValue(call);
  return LLVMGetCallSiteEnumAttribute(call, LLVMAttributeFunctionIndex, kind) ||
         (LLVMIsAFunction(callee) &&
          LLVMGetEnumAttributeAtIndex(callee, LLVMAttributeFunctionIndex, kind));
}

static bool is_trap(LLVMValueRef call) {
  static const char *const names[] = {"llvm.trap", "llvm.ubsantrap"};
  size_t length;
  LLVMValueRef callee = LLVMGetCalledValue(call);
  const char *name = LLVMIsAFunction(callee) ? LLVMGetValueName2(callee, &length) : "";
  return strcmp(name, names[0]) == 0 || strcmp(name, names[1]) == 0;
}

/* nomerge means nothing to traps, which are one instruction each, and the same as what stands at unreachable places.
 * With a number in it, it is another instruction. */
static void number_trap(LLVMModuleRef module, LLVMBuilderRef builder, LLVMValueRef trap,
                        unsigned number) {
  const char *name = "llvm.ubsantrap";
  LLVMContextRef context = LLVMGetModuleContext(module);
  unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
  LLVMTypeRef type = LLVMIntrinsicGetType(context, id, NULL, 0);
  LLVMValueRef argument = LLVMConstInt(LLVMInt8TypeInContext(context), number, false);
  LLVMPositionBuilderBefore(builder, trap);
  LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(trap));
  LLVMBuildCall2(builder, type, LLVMGetIntrinsicDeclaration(module, id, NULL, 0), &argument, 1, "");
  LLVMInstructionEraseFromParent(trap);
}

static void keep_apart(LLVMContextRef context, LLVMModuleRef module, LLVMBuilderRef builder,
                       LLVMValueRef function) {
  unsigned kind = LLVMGetEnumAttributeKindForName("nomerge", 7), traps = 0;
  LLVMAttributeRef apart = LLVMCreateEnumAttribute(context, kind, 0);
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
      next = LLVMGetNextInstruction(i);
      if ((LLVMIsACallInst(i) || LLVMIsAInvokeInst(i)) && never_returns(i)) {
        LLVMAddCallSiteAttribute(i, LLVMAttributeFunctionIndex, apart);
        if (LLVMIsACallInst(i) && is_trap(i))
          number_trap(module, builder, i, traps++ % TRAP_NUMBERS);
      }
    }
}

void ends_keep_apart(LLVMContextRef context, LLVMModuleRef module) {
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
    keep_apart(context, module, builder, f);
  LLVMDisposeBuilder(builder);
}

/* ---- taken away ---- */

/* What the processor does: the signal says what it was. */
static void build_fault(struct pass *pass) {
  static const char code[] = "xorl %ecx, %ecx\n\tdivl %ecx",
                    clobbers[] = "~{eax},~{ecx},~{edx},~{flags}";
  LLVMTypeRef type = LLVMFunctionType(pass->void_type, NULL, 0, false);
  LLVMValueRef fault = LLVMGetInlineAsm(type, code, strlen(code), clobbers, strlen(clobbers), true,
                                        false, LLVMInlineAsmDialectATT, false);
  LLVMBuildCall2(pass->builder, type, fault, NULL, 0, "");
  LLVMBuildUnreachable(pass->builder);
}

bool rewrite_division(struct pass *pass, LLVMValueRef division) {
  LLVMValueRef divisor = LLVMGetOperand(division, 1);
  LLVMTypeRef type = LLVMTypeOf(divisor);
  if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(type) > 64 ||
      (LLVMIsAConstantInt(divisor) && !LLVMIsNull(divisor)))
    return false;
  bool is_new;
  struct helper_key key = {.kind = "divisor", .type = type};
  LLVMTypeRef test = LLVMFunctionType(pass->void_type, &type, 1, false);
  LLVMValueRef helper = helper_get(pass, &key, test, &is_new);
  if (is_new) {
    LLVMBasicBlockRef zero = helper_block(pass, "zero"), other = helper_block(pass, "other");
    LLVMValueRef is_zero =
        LLVMBuildICmp(pass->builder, LLVMIntEQ, LLVMGetParam(helper, 0), LLVMConstNull(type), "");
    LLVMBuildCondBr(pass->builder, is_zero, zero, other);
    LLVMPositionBuilderAtEnd(pass->builder, zero);
    build_fault(pass);
    LLVMPositionBuilderAtEnd(pass->builder, other);
    LLVMBuildRetVoid(pass->builder);
    helper_finish(pass);
  }
  LLVMBuildCall2(pass->builder, test, helper, &divisor, 1, "");
  return false;
}
