/* What some functions of libc keep for the whole program between calls: the place in the text of strtok, the results of
 * localtime, gmtime, ctime and asctime, and the environment.  Two threads that call them race for it. */
#ifndef LIBC_KEPT_H
#define LIBC_KEPT_H

#include <stdint.h>

/* Once, before world_seal. */
void kept_init(void);

/* What to do about a race for what is at the address; NULL: it is none of that. */
const char *kept_advice(uintptr_t address);

#endif
