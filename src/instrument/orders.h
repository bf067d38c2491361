/* std::atomic<std::shared_ptr> of libstdc++ holds a lock, and releases it with a relaxed order after it has read the
 * pointer.  By the letter that is a data race with the next store, in every program that uses the type as it is meant to
 * be used; on x86 all orders of that instruction are the same, and later versions tell ThreadSanitizer that it is a
 * lock.  Programs cannot mend it: its release counts as one. */
#ifndef INSTRUMENT_ORDERS_H
#define INSTRUMENT_ORDERS_H

#include <llvm-c/Core.h>

/* pre: nothing is inlined yet. */
void orders_mend(LLVMModuleRef module);

#endif
