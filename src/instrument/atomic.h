/* Atomic loads, stores, read-modify-writes, compare-and-exchanges and fences: as instructions, and
 * as calls of libatomic, which the compiler makes for 16 bytes. */
#ifndef INSTRUMENT_ATOMIC_H
#define INSTRUMENT_ATOMIC_H

#include "abi/abi.h"
#include "instrument/pass.h"

bool rewrite_atomic_load(struct pass *pass, LLVMValueRef load);
bool rewrite_atomic_store(struct pass *pass, LLVMValueRef store);
bool rewrite_rmw(struct pass *pass, LLVMValueRef rmw);
/* When everything is rewritten: read-modify-writes of which nobody looks at the result say so. */
void atomic_mark_unused(struct pass *pass);
bool rewrite_cmpxchg(struct pass *pass, LLVMValueRef cmpxchg);
bool rewrite_fence(struct pass *pass, LLVMValueRef fence);

/* libatomic.c; `name` is that of the called function. */
bool rewrite_libatomic(struct pass *pass, LLVMValueRef call, const char *name);

/* At the builder; values are integers of 1, 2, 4, 8 or 16 bytes, `order` an i32.  atomic_rmw and
 * atomic_cas return the old value. */
LLVMValueRef atomic_load(struct pass *pass, LLVMValueRef address, unsigned bytes,
                         LLVMValueRef order, LLVMValueRef site);
void atomic_store(struct pass *pass, LLVMValueRef address, LLVMValueRef value, LLVMValueRef order,
                  LLVMValueRef site);
LLVMValueRef atomic_rmw(struct pass *pass, enum abi_rmw op, LLVMValueRef address,
                        LLVMValueRef operand, LLVMValueRef order, LLVMValueRef site);
LLVMValueRef atomic_cas(struct pass *pass, LLVMValueRef address, LLVMValueRef expected,
                        LLVMValueRef desired, LLVMValueRef order, LLVMValueRef site);

#endif
