/* Where an execution is that does not end.
 *
 * The limit on steps cuts a loop anywhere, and once it is cut there, once here.  So that the same loop
 * is the same finding each time, the last steps before the limit are looked at: the calls that all of
 * them have in common, and in the function below them the place with the lowest address. */
#ifndef ACCESS_ENDLESS_H
#define ACCESS_ENDLESS_H

#include "abi/abi.h"

#define ENDLESS_STEPS 2048 /* so many before the limit; a longer loop may be several findings */

void endless_begin(void);
void endless_look(void);

/* site: what the program does now, in case nothing was learnt. */
_Noreturn void endless_stop(uint64_t limit, const struct abi_site *site);

#endif
