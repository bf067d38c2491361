/* What a program reads to tell its threads apart: the register that points to the running thread's own memory.
 *
 * The checker's threads share that register, but have handles; and with glibc a thread's handle is what is in it.  So
 * pthread_self is called instead.  Other uses of the segment are reported: they would be of the checker's own
 * thread. */
#include "instrument/call.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static LLVMValueRef handle_of_self(struct pass *pass, LLVMTypeRef type) {
  LLVMTypeRef function = LLVMFunctionType(pass->i64, NULL, 0, false);
  LLVMValueRef self = LLVMGetNamedFunction(pass->module, "pthread_self");
  if (!self)
    self = LLVMAddFunction(pass->module, "pthread_self", function);
  LLVMValueRef handle = LLVMBuildCall2(pass->builder, function, self, NULL, 0, "");
  return type == pass->ptr ? LLVMBuildIntToPtr(pass->builder, handle, type, "") : handle;
}

bool rewrite_thread_pointer(struct pass *pass, LLVMValueRef call, const char *name) {
  static const char intrinsic[] = "llvm.thread.pointer";
  if (strncmp(name, intrinsic, sizeof intrinsic - 1) != 0)
    return false;
  pass_replace(call, handle_of_self(pass, pass->ptr));
  return true;
}

/* Where a thread's memory holds its own address. */
#define AT_SELF 0
#define AT_SELF_AGAIN 16

/* The offset in "%fs:16" or "%fs:$1", of which that operand is at a constant address; -1: something else. */
static long offset_at(LLVMValueRef call, const char *text) {
  char *end;
  if (isdigit((unsigned char)*text)) {
    long offset = strtol(text, &end, 0);
    return *end == '(' ? -1 : offset;
  }
  if (*text != '$' || LLVMGetNumArgOperands(call) != 1)
    return -1;
  return LLVMIsNull(LLVMGetOperand(call, 0)) ? AT_SELF : -1;
}

/* __seg_fs and __seg_gs are address spaces of their own. */
#define SPACE_FS 257

static LLVMValueRef place_of(LLVMValueRef access) {
  switch (LLVMGetInstructionOpcode(access)) {
  case LLVMLoad:
  case LLVMAtomicRMW:
  case LLVMAtomicCmpXchg:
    return LLVMGetOperand(access, 0);
  case LLVMStore:
    return LLVMGetOperand(access, 1);
  default:
    return NULL;
  }
}

bool rewrite_segment_access(struct pass *pass, LLVMValueRef access) {
  LLVMValueRef place = place_of(access);
  unsigned space = place ? LLVMGetPointerAddressSpace(LLVMTypeOf(place)) : 0;
  LLVMTypeRef type = LLVMTypeOf(access);
  if (space == 0)
    return false;
  if (space == SPACE_FS && LLVMGetInstructionOpcode(access) == LLVMLoad && LLVMIsNull(place) &&
      (type == pass->i64 || type == pass->ptr))
    pass_replace(access, handle_of_self(pass, type));
  else
    report_unknown(pass, access, "an access through a segment register", "__seg_fs, __seg_gs");
  return true;
}

bool rewrite_segment_asm(struct pass *pass, LLVMValueRef call, const char *template) {
  const char *segment = strstr(template, "%fs:");
  LLVMTypeRef type = LLVMTypeOf(call);
  if (!segment && !strstr(template, "%gs:"))
    return false;
  bool is_move = strncmp(template, "mov ", 4) == 0 || strncmp(template, "movq ", 5) == 0;
  long offset = segment && is_move ? offset_at(call, segment + 4) : -1;
  const char *to = segment ? strchr(segment, ',') : NULL;
  bool whole = to && to[1 + strspn(to + 1, " ")] == '$' && !strpbrk(template, ";\n");
  if ((type == pass->i64 || type == pass->ptr) && whole &&
      (offset == AT_SELF || offset == AT_SELF_AGAIN))
    pass_replace(call, handle_of_self(pass, type));
  else
    report_unknown(pass, call, "inline assembly", template);
  return true;
}
