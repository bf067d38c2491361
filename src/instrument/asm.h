/* Inline assembly: what is understood becomes hooks, what needs nothing stays, and what touches
 * memory without being understood is reported. */
#ifndef INSTRUMENT_ASM_H
#define INSTRUMENT_ASM_H

#include "instrument/pass.h"

bool rewrite_asm(struct pass *pass, LLVMValueRef call);

#endif
