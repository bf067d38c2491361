/* What mprotect took away from pages of regions.
 *
 * The window is inaccessible anyway, so this is a list that accesses are compared with.  A machine's
 * own.  Goes back with the program. */
#ifndef ACCESS_PROTECTION_H
#define ACCESS_PROTECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

extern uint32_t protection_ranges; /* how many there are: usually none */
extern uint32_t protection_hidden; /* of them, those that may not be read either */

/* false: there are too many ranges.  pre: whole pages of one region. */
bool protection_set(uintptr_t address, size_t bytes, bool readable, bool writable);

/* The region there is not mapped any more: what is mapped there next is not protected. */
void protection_clear(uintptr_t address, size_t bytes);

/* May the running machine do that?  pre: within a page. */
bool protection_allows(uintptr_t address, bool write);

#endif
