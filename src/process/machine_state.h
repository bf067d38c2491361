/* Machines share one libc (and libm, libgcc_s): its variables belong to the machine that runs.
 *
 * When control goes from one machine to another, the pages of shared libraries that differ from
 * their sealed contents are put aside for the one and brought back for the other.  The put-aside
 * copies are world memory. */
#ifndef PROCESS_MACHINE_STATE_H
#define PROCESS_MACHINE_STATE_H

#include "process/world.h"
#include <stdint.h>

#define MACHINE_STATE_MAX 64

/* pre: on the host stack.  Machines are 0 ... MACHINE_STATE_MAX - 1. */
void world_switch_machine(int from, int to);

/* How often a machine changed something that is neither its own nor watched memory, and that the
 * others could notice: descriptors, mappings, signal handlers, keys, random numbers, stacks, the
 * numbering of thread-local variables.  Whoever changes such a thing calls machine_changed_shared.
 * Goes back with the program. */
extern uint64_t machine_shared_changes;
void machine_changed_shared(void); /* host calls do not count */

/* Gaps (process/world.h): what was put aside for these machines, and what was brought back since. */
void machine_state_add_gaps(world_gap_list *gaps, uint32_t machines);

void machine_state_seal(void); /* called by world_seal */

#endif
