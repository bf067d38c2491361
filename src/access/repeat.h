/* Repeated movs and stos of code that was not instrumented, as one operation.
 *
 * Stepping would take one step for each element.  They are what libc's copies consist of, so they
 * are recorded like those: upwards, one store for each aligned word.  A copy that reads what it has
 * written is cut into copies that do not; downwards, each element is a store. */
#ifndef ACCESS_REPEAT_H
#define ACCESS_REPEAT_H

#include "access/bypass_internal.h"

/* On the thread that came to f->instruction.  False: it is another instruction, nothing was done. */
bool repeat_carry_out(struct bypass_frame *f);

#endif
