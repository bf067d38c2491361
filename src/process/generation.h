/* Generations of volatile memory (pm model).
 *
 * After a failure a process gets its heap (malloc, thread-local variables, anonymous mappings) and
 * its stacks at other addresses, and nothing is left where they lay before: so a pointer to them
 * that was kept in persistent memory is noticed when it is used.  Generation 0 is before any
 * failure.  Addresses depend on the generation only.  The search says which one a run belongs to: a new one
 * after a failure, unless the execution that failed put no address of its own into watched memory,
 * for then nobody can tell.  Variables of the program and of libraries keep their addresses, and so
 * do blocks that libraries allocated while they were loaded. */
#ifndef PROCESS_GENERATION_H
#define PROCESS_GENERATION_H

#include "process/layout.h"
#include <stdbool.h>

/* pre: on the host, the world was just reset. */
void generation_begin(int generation);
bool generation_is(int generation); /* the one that is accessible */

/* Is this value an address in the volatile memory of that generation?  The upper 16 bits, in which
 * programs keep marks, do not count. */
bool generation_owns(int generation, uint64_t value);

/* What the address was in an earlier generation: "in the heap", "on a stack"; NULL: nothing. */
const char *generation_before(uintptr_t address);

/* How a message goes on if generation_before says something. */
#define GENERATION_ADVICE \
  " before the failure: a pointer to volatile memory was kept in persistent memory"

#endif
