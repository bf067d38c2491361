/* Loops in which the C++ library waits a little before it sleeps (std::latch, semaphores, atomic::wait).
 *
 * They look sixteen times, and to a checker that is sixteen steps, in every order with what others do.  Once is
 * enough: a look in vain changes nothing, how many there were is known to nobody afterwards, and one that succeeds
 * later could have been the first, with the thread as late as that. */
#ifndef INSTRUMENT_SPINS_H
#define INSTRUMENT_SPINS_H

#include <llvm-c/Core.h>

void spins_shorten(LLVMModuleRef module);

#endif
