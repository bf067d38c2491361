#include "abi/abi.h"
#include "instrument/access.h"
#include "instrument/call.h"
#include "instrument/site.h"
#include <string.h>

static const struct {
  const char *name;
  enum hook hook;
  int kind;
} simple[] = {
    {"llvm.x86.sse2.clflush", HOOK_flush, ABI_CLFLUSH},
    {"llvm.x86.clflushopt", HOOK_flush, ABI_CLFLUSHOPT},
    {"llvm.x86.clwb", HOOK_flush, ABI_CLWB},
    {"llvm.x86.sse.sfence", HOOK_fence, ABI_SFENCE},
    {"llvm.x86.sse2.mfence", HOOK_fence, ABI_MFENCE},
    {"llvm.x86.sse2.lfence", HOOK_fence, ABI_LFENCE},
    {"llvm.x86.sse2.pause", HOOK_pause, 0},
};

static bool rewrite_simple(struct pass *pass, LLVMValueRef call, const char *name) {
  for (size_t i = 0; i < sizeof simple / sizeof *simple; i++) {
    if (strcmp(name, simple[i].name) != 0)
      continue;
    LLVMValueRef kind = pass_int(pass, pass->i32, (uint64_t)simple[i].kind);
    LLVMValueRef site = site_of(pass, call);
    if (simple[i].hook == HOOK_flush)
      hook_call(pass, HOOK_flush, (LLVMValueRef[]){kind, LLVMGetOperand(call, 0), site});
    else if (simple[i].hook == HOOK_fence)
      hook_call(pass, HOOK_fence, (LLVMValueRef[]){kind, site});
    else
      hook_call(pass, HOOK_pause, &site);
    pass_replace(call, NULL);
    return true;
  }
  return false;
}

/* rdtsc gives the number, rdtscp the number and a processor, rdrand a number and "it worked". */
static bool rewrite_number(struct pass *pass, LLVMValueRef call, const char *name) {
  bool time = strcmp(name, "llvm.x86.rdtsc") == 0 || strcmp(name, "llvm.x86.rdtscp") == 0 ||
              strncmp(name, "llvm.readcyclecounter", 21) == 0;
  bool random =
      strncmp(name, "llvm.x86.rdrand", 15) == 0 || strncmp(name, "llvm.x86.rdseed", 15) == 0;
  if (!time && !random)
    return false;
  LLVMBuilderRef b = pass->builder;
  LLVMValueRef site = site_of(pass, call);
  LLVMValueRef number = hook_call(pass, time ? HOOK_rdtsc : HOOK_random, &site);
  LLVMTypeRef type = LLVMTypeOf(call);
  if (LLVMGetTypeKind(type) == LLVMStructTypeKind) {
    LLVMTypeRef first = LLVMStructGetTypeAtIndex(type, 0);
    LLVMValueRef second = LLVMConstInt(LLVMStructGetTypeAtIndex(type, 1), random ? 1 : 0, false);
    number = LLVMBuildTruncOrBitCast(b, number, first, "");
    LLVMValueRef pair = LLVMBuildInsertValue(b, LLVMGetPoison(type), number, 0, "");
    number = LLVMBuildInsertValue(b, pair, second, 1, "");
  }
  pass_replace(call, number);
  return true;
}

/* movdiri, movdir64b: stores that bypass the cache, like movnt. */
static bool rewrite_direct_store(struct pass *pass, LLVMValueRef call, const char *name) {
  LLVMValueRef site;
  if (strncmp(name, "llvm.x86.directstore", 20) == 0) {
    site = site_of(pass, call);
    access_store_nontemporal(pass, LLVMGetOperand(call, 1), LLVMGetOperand(call, 0), site);
  } else if (strcmp(name, "llvm.x86.movdir64b") == 0) {
    site = site_of(pass, call);
    LLVMTypeRef line = LLVMArrayType2(pass->i8, 64);
    LLVMValueRef value = access_load(pass, line, LLVMGetOperand(call, 1), 1, site);
    access_store_nontemporal(pass, value, LLVMGetOperand(call, 0), site);
  } else {
    return false;
  }
  pass_replace(call, NULL);
  return true;
}

/* A transaction of the processor may always abort, and does: what the program does instead is checked.
 * A program that only tries again waits for ever, as the pause lets the checker see. */
static bool rewrite_transaction(struct pass *pass, LLVMValueRef call, const char *name) {
  static const char *const names[] = {"llvm.x86.xbegin", "llvm.x86.xend", "llvm.x86.xabort",
                                      "llvm.x86.xtest"};
  size_t i = 0;
  while (i < sizeof names / sizeof *names && strcmp(name, names[i]) != 0)
    i++;
  if (i == sizeof names / sizeof *names)
    return false;
  if (i == 0) {
    LLVMValueRef site = site_of(pass, call);
    report_about(pass, call, "transactions (xbegin) always abort in the checker");
    hook_call(pass, HOOK_pause, &site);
  }
  LLVMTypeRef type = LLVMTypeOf(call);
  bool is_void = LLVMGetTypeKind(type) == LLVMVoidTypeKind;
  pass_replace(call, is_void ? NULL : LLVMConstInt(type, 0, false));
  return true;
}

bool rewrite_persist_intrinsic(struct pass *pass, LLVMValueRef call, const char *name) {
  return rewrite_simple(pass, call, name) || rewrite_number(pass, call, name) ||
         rewrite_direct_store(pass, call, name) || rewrite_transaction(pass, call, name);
}
