/* Uncaught C++ exceptions: what was thrown, and where.
 *
 * By the time the program aborts the stack may be gone up to a noexcept function or a rethrow, so
 * __cxa_throw notes where it was called from.  The notes are world memory. */
#ifndef LIBC_EXCEPTION_H
#define LIBC_EXCEPTION_H

#include "process/stop.h"

/* pre: on a fiber, with the frames of a call of abort in *s.  If it comes from std::terminate: sets
 * message and frames to what it is about, and says true. */
bool exception_describe(struct stop *s);

#endif
