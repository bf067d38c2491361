/* Helper functions: internal, always inlined, made on demand, shared within the module.
 *
 * They hold the branches of the instrumentation: the test whether an address is watched, with the
 * plain access on the likely side and the hook on the other.  After inlining only the test and the
 * access remain in line. */
#ifndef INSTRUMENT_HELPER_H
#define INSTRUMENT_HELPER_H

#include "instrument/pass.h"

/* What makes two helpers different.  Unused members are zero. */
struct helper_key {
  const char *kind; /* a string literal; also part of the helper's name */
  const void *type, *tag;
  uint64_t number, flags;
};

struct helper_table *helper_table_create(void);
void helper_table_destroy(struct helper_table *table);

/* The helper of that key.  If it is new, `type` is its type, *is_new is set and the builder is at
 * the end of its empty entry block; the caller fills it in and calls helper_finish. */
LLVMValueRef helper_get(struct pass *pass, const struct helper_key *key, LLVMTypeRef type,
                        bool *is_new);
void helper_finish(struct pass *pass);

LLVMBasicBlockRef helper_block(struct pass *pass, const char *name);

/* What the file's accesses are compared with (ABI_WATCH_SYMBOL). */
LLVMValueRef helper_watch(LLVMContextRef context, LLVMModuleRef module, LLVMBuilderRef builder);

/* Branch to `watched` if one of the addresses is in the window, else to `plain`. */
void helper_test(struct pass *pass, const LLVMValueRef *addresses, unsigned count,
                 LLVMBasicBlockRef watched, LLVMBasicBlockRef plain);

/* An alloca for `value` with the value stored into it; or just an alloca, if value is NULL. */
LLVMValueRef helper_slot(struct pass *pass, LLVMTypeRef type, LLVMValueRef value);

#endif
