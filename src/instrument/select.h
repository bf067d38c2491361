/* Which accesses need no hook: those that can only reach memory no other thread, machine or failure
 * can see. */
#ifndef INSTRUMENT_SELECT_H
#define INSTRUMENT_SELECT_H

#include "instrument/pass.h"

/* A local variable whose address never leaves the function, or a constant. */
bool select_is_private(LLVMValueRef address);

/* The pointer whose window test decides for `address`: an access within an object is watched if
 * and only if the object is.  Testing the object lets one test serve many accesses and leave
 * loops. */
LLVMValueRef select_object(struct pass *pass, LLVMValueRef address);

#endif
