/* Ways out of loops that go through a switch.
 *
 * A return from inside a loop, past variables that end there, is a number that a switch looks at behind the loop: the
 * compiler has one block for all ways.  So it seems to be part of the loop that it leaves.  Each way whose number is
 * known leads straight to where the switch would go. */
#ifndef INSTRUMENT_STRAIGHTEN_H
#define INSTRUMENT_STRAIGHTEN_H

#include <llvm-c/Core.h>

void straighten_ways(LLVMContextRef context, LLVMValueRef function);

#endif
