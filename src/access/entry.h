/* Hooks that the runtime calls itself, where it does what a library's locked instructions do. */
#ifndef ACCESS_ENTRY_H
#define ACCESS_ENTRY_H

#include "abi/abi.h"

uint32_t __tidemark_rmw4(void *address, uint32_t operand, int op, int order,
                         const struct abi_site *site);
uint32_t __tidemark_cas4(void *address, uint32_t expected, uint32_t desired, int order,
                         const struct abi_site *site);

#endif
