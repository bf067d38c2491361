/* What the parts of the instrumentation share while one module is rewritten.
 *
 * Every rewrite_* function takes one instruction, returns true if it replaced (and erased) it, and
 * never splits a basic block: code with branches goes into a helper function (helper.h) that
 * LLVM's always-inline pass puts in place afterwards. */
#ifndef INSTRUMENT_PASS_H
#define INSTRUMENT_PASS_H

#include "base/vec.h"
#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <stdbool.h>
#include <stdint.h>

enum hook {
#define HOOK(type, name, ...) HOOK_##name,
#include "abi/hooks.def"
#undef HOOK
  HOOK_COUNT
};

struct hook_function {
  LLVMTypeRef type;
  LLVMValueRef value; /* NULL until it is called for the first time */
};

struct site_table;
struct helper_table;

struct pass {
  LLVMContextRef context;
  LLVMModuleRef module;
  LLVMTargetDataRef layout;
  LLVMBuilderRef builder; /* placed before the instruction being rewritten */
  LLVMTypeRef void_type, ptr, i1, i8, i32, i64;
  struct hook_function hooks[HOOK_COUNT];
  struct site_table *sites;
  struct helper_table *helpers;
  unsigned md_tbaa, md_nontemporal, md_prof;
  LLVMValueRef function; /* the one being rewritten */
  bool quiet;
};

/* hook.c: the declarations of hooks.def as LLVM functions. */
const char *hook_name(enum hook hook); /* without the prefix __tidemark_ */
unsigned hook_parameters(enum hook hook);
LLVMTypeRef hook_type(struct pass *pass, enum hook hook);
LLVMValueRef hook_function(struct pass *pass, enum hook hook);
LLVMValueRef hook_call(struct pass *pass, enum hook hook, LLVMValueRef *arguments);

/* Small conveniences over llvm-c. */
LLVMValueRef pass_int(struct pass *pass, LLVMTypeRef type, uint64_t value);
LLVMTypeRef pass_int_type(struct pass *pass, unsigned bytes);
void pass_replace(LLVMValueRef old, LLVMValueRef value); /* value may be NULL if unused */
bool pass_has_attribute(LLVMValueRef function, const char *name);

/* 1, 2, 4 or 8 if values of the type are exactly that many bytes, otherwise 0. */
unsigned pass_scalar_bytes(struct pass *pass, LLVMTypeRef type);
uint64_t pass_store_bytes(struct pass *pass, LLVMTypeRef type);

/* Between a scalar and the integer of the same size that hooks take and give. */
LLVMValueRef pass_to_int(struct pass *pass, LLVMValueRef value);
LLVMValueRef pass_from_int(struct pass *pass, LLVMValueRef value, LLVMTypeRef type);

#endif
