/* Where a program ends against its will: the optimiser, which comes after the hooks, must neither take such a place
 * away nor make one of two. */
#ifndef INSTRUMENT_ENDS_H
#define INSTRUMENT_ENDS_H

#include "instrument/pass.h"

/* Calls that do not return, and traps, keep their lines. */
void ends_keep_apart(LLVMContextRef context, LLVMModuleRef module);

/* A division by zero happens, also if nobody needs its result.  False: it stays in its place. */
bool rewrite_division(struct pass *pass, LLVMValueRef division);

#endif
