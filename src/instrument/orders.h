/* Data races inside libstdc++ that programs which use it as it is meant to be used cannot mend, and that make no
 * difference on x86.
 *
 * std::atomic<std::shared_ptr> holds a lock, and releases it with a relaxed order after it has read the pointer.  By the
 * letter that is a race with the next store; later versions tell ThreadSanitizer that it is a lock.  Its release counts
 * as one.  std::ctype<char>::narrow, which std::regex calls, keeps bytes that it has found out, without a lock.  It
 * must find the same each time, so it can as well find it out again. */
#ifndef INSTRUMENT_ORDERS_H
#define INSTRUMENT_ORDERS_H

#include <llvm-c/Core.h>

/* pre: nothing is inlined yet. */
void orders_mend(LLVMModuleRef module);

#endif
