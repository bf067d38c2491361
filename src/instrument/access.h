/* Plain, volatile and non-temporal loads and stores. */
#ifndef INSTRUMENT_ACCESS_H
#define INSTRUMENT_ACCESS_H

#include "instrument/pass.h"

bool rewrite_load(struct pass *pass, LLVMValueRef load);
bool rewrite_store(struct pass *pass, LLVMValueRef store);

/* A load or store at the builder, with the window test, for instrumentation that makes accesses
 * of its own.  `alignment` in bytes. */
LLVMValueRef access_load(struct pass *pass, LLVMTypeRef type, LLVMValueRef address,
                         unsigned alignment, LLVMValueRef site);
void access_store(struct pass *pass, LLVMValueRef value, LLVMValueRef address, unsigned alignment,
                  LLVMValueRef site);

/* movnt: the value always goes through the hook. */
void access_store_nontemporal(struct pass *pass, LLVMValueRef value, LLVMValueRef address,
                              LLVMValueRef site);

#endif
