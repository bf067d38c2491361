/* Machines share one libc (and libm, libgcc_s): its variables belong to the machine that runs.
 *
 * When control goes from one machine to another, the pages of shared libraries that differ from
 * their sealed contents are put aside for the one and brought back for the other.  The put-aside
 * copies are world memory. */
#ifndef RUNTIME_MACHINE_STATE_H
#define RUNTIME_MACHINE_STATE_H

#define MACHINE_STATE_MAX 64

/* pre: on the host stack.  Machines are 0 ... MACHINE_STATE_MAX - 1. */
void world_switch_machine(int from, int to);

void machine_state_seal(void); /* called by world_seal */

#endif
