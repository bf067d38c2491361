/* Local variables: which of them only their thread can see. */
#include "lift/lift_internal.h"
#include <string.h>

/* The handle that creating a thread stores is not a secret that leaves the function. */
static bool is_handle(LLVMValueRef call, LLVMValueRef v) {
  size_t n;
  const char *name = LLVMGetValueName2(LLVMGetCalledValue(call), &n);
  return (!strcmp(name, "pthread_create") || !strcmp(name, "thrd_create")) &&
         LLVMGetOperand(call, 0) == v && LLVMGetOperand(call, LLVMGetNumArgOperands(call) - 1) != v;
}

/* A mark where the block of a local variable begins or ends. */
bool lift_is_lifetime(LLVMValueRef call) {
  size_t n;
  LLVMValueRef callee = LLVMGetCalledValue(call);
  return LLVMIsAFunction(callee) && !strncmp(LLVMGetValueName2(callee, &n), "llvm.lifetime.", 14);
}

/* Functions that look at memory, or write to it, and keep no address; some give one back. */
static bool only_uses_memory(LLVMValueRef call) {
  static const char *const names[] = {"llvm.memcpy.", "llvm.memmove.", "llvm.memset."},
                           *const library[] = {"strlen", "strnlen", "strcmp", "strncmp",
                                               "memcmp", "bcmp",    "strcpy", "strncpy",
                                               "memcpy", "memmove", "memset"};
  size_t n;
  LLVMValueRef callee = LLVMGetCalledValue(call);
  const char *name = LLVMIsAFunction(callee) ? LLVMGetValueName2(callee, &n) : "";
  for (unsigned k = 0; k < sizeof names / sizeof *names; k++)
    if (!strncmp(name, names[k], strlen(names[k])))
      return true;
  bool gives_number = LLVMGetTypeKind(LLVMTypeOf(call)) == LLVMIntegerTypeKind;
  for (unsigned k = 0; k < sizeof library / sizeof *library; k++)
    if (!strcmp(name, library[k]))
      return LLVMIsDeclaration(callee) && (gives_number || !LLVMGetFirstUse(call));
  return false;
}

/* Whether the address of a local variable stays with loads and stores of its thread. */
bool lift_stays_local(LLVMValueRef v) {
  for (LLVMUseRef u = LLVMGetFirstUse(v); u; u = LLVMGetNextUse(u)) {
    LLVMValueRef user = LLVMGetUser(u);
    if (!LLVMIsAInstruction(user))
      return false;
    switch (LLVMGetInstructionOpcode(user)) {
    case LLVMLoad:
    case LLVMICmp:
      break;
    case LLVMStore:
      if (LLVMGetOperand(user, 0) == v)
        return false;
      break;
    case LLVMGetElementPtr:
      if (LLVMGetOperand(user, 0) != v || !lift_stays_local(user))
        return false;
      break;
    case LLVMCall:
      if (!is_handle(user, v) && !lift_is_lifetime(user) && !only_uses_memory(user))
        return false;
      break;
    default:
      return false;
    }
  }
  return true;
}
