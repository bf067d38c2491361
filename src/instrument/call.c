#include "instrument/call.h"
#include "base/str.h"
#include "instrument/asm.h"
#include "instrument/atomic.h"
#include "instrument/select.h"
#include "instrument/site.h"
#include <stdio.h>
#include <string.h>

static bool starts_with(const char *text, const char *prefix) {
  return strncmp(text, prefix, strlen(prefix)) == 0;
}

void report_about(struct pass *pass, LLVMValueRef call, const char *text) {
  struct place place;
  site_place(pass, call, &place);
  if (!pass->quiet)
    fprintf(stderr, "%s:%u:%u: warning: %s [-Wtidemark]\n",
            place.file[0] ? place.file : "<unknown>", place.line, place.column, text);
}

void report_unknown(struct pass *pass, LLVMValueRef call, const char *what, const char *text) {
  struct str said = {0};
  str_format(&said, "%s touches memory in a way the checker does not understand: \"%s\"", what,
             text);
  report_about(pass, call, str_text(&said));
  str_free(&said);
  LLVMValueRef arguments[] = {site_text(pass, text), site_of(pass, call)};
  hook_call(pass, HOOK_unknown_asm, arguments);
}

/* x86 intrinsics that take a pointer but concern no shared data. */
static bool is_harmless_x86(const char *name) {
  static const char *const harmless[] = {
      "llvm.x86.sse.ldmxcsr", "llvm.x86.sse.stmxcsr", "llvm.x86.cldemote", "llvm.x86.fx",
      "llvm.x86.xsave",       "llvm.x86.xrstor",      "llvm.x86.seh.",     NULL};
  for (const char *const *h = harmless; *h; h++)
    if (starts_with(name, *h))
      return true;
  return false;
}

static bool takes_shared_pointer(LLVMValueRef call) {
  for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++) {
    LLVMValueRef argument = LLVMGetOperand(call, i);
    if (LLVMGetTypeKind(LLVMTypeOf(argument)) == LLVMPointerTypeKind &&
        !select_is_private(argument))
      return true;
  }
  return false;
}

static bool rewrite_intrinsic(struct pass *pass, LLVMValueRef call, const char *name) {
  if (rewrite_thread_pointer(pass, call, name) || rewrite_memory_intrinsic(pass, call, name) ||
      rewrite_persist_intrinsic(pass, call, name) || rewrite_masked_intrinsic(pass, call, name))
    return true;
  if (starts_with(name, "llvm.x86.") && !is_harmless_x86(name) && takes_shared_pointer(call))
    report_unknown(pass, call, "intrinsic", name);
  return false;
}

/* The same for this one call as for the function (drop_promises). */
static void drop_call_promises(LLVMValueRef call) {
  static const char *const names[] = {"memory", "nosync", "nofree", "willreturn"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    LLVMRemoveCallSiteEnumAttribute(call, LLVMAttributeFunctionIndex,
                                    LLVMGetEnumAttributeKindForName(names[i], strlen(names[i])));
}

/* The optimiser replaces library functions that it knows (snprintf of a constant, fwrite of one byte)
 * by plain loads and stores, which would come too late to get hooks. */
static void keep_library_call(struct pass *pass, LLVMValueRef call) {
  unsigned kind = LLVMGetEnumAttributeKindForName("nobuiltin", 9);
  LLVMAddCallSiteAttribute(call, LLVMAttributeFunctionIndex,
                           LLVMCreateEnumAttribute(pass->context, kind, 0));
}

bool rewrite_call(struct pass *pass, LLVMValueRef call) {
  LLVMValueRef callee = LLVMGetCalledValue(call);
  if (LLVMIsAInlineAsm(callee))
    return rewrite_asm(pass, call);
  expose_byval_copies(pass, call);
  if (!LLVMIsAFunction(callee))
    return false;
  size_t length;
  char name[128];
  snprintf(name, sizeof name, "%s", LLVMGetValueName2(callee, &length));
  if (LLVMGetIntrinsicID(callee))
    return rewrite_intrinsic(pass, call, name);
  drop_call_promises(call);
  if (rewrite_library_call(pass, call, name) || rewrite_libatomic(pass, call, name) ||
      rewrite_syscall(pass, call, name) || rewrite_reduction(pass, call, name))
    return true;
  if (starts_with(name, "__atomic_") && LLVMIsDeclaration(callee) &&
      !starts_with(name, "__atomic_is_lock_free"))
    report_unknown(pass, call, "call of libatomic", name);
  if (LLVMIsDeclaration(callee) && takes_shared_pointer(call))
    keep_library_call(pass, call);
  rename_barrier(pass, call, name);
  return false;
}
