/* What the survivors do after the last failure of a scenario, without doing it again (cxl model).
 *
 * Once no further machine may fail, the rest of the execution is a function of where the survivors
 * stand and of the bytes of shared memory they read.  What they read and did is kept in a trie
 * (explore/memo.h) for that place, and walked with the constraints of each failure that leaves them there;
 * the program runs only where the trie has no answer yet.
 *
 * Why a place is what it is: a checkpoint is all that an execution needs to go on, so its future is a
 * function of it.  Left out of the place are shared memory, which the trie asks for, and what only machines
 * that are gone had for themselves: their images, heaps, stacks, and the variables of libc that were put aside for
 * them (world_put_rest).  Bytes of shared memory that the runtime looks at by itself are observations, too;
 * where survivors have read what may be a pointer to memory of the failed machine, nothing is shared. */
#ifndef SEARCH_SURVIVORS_H
#define SEARCH_SURVIVORS_H

#include <stdbool.h>
#include <stdint.h>

struct checkpoint;
struct world_snapshot;

/* Is the failure decided at this checkpoint the last one, so that what follows can be shared? */
bool survivors_shared(const struct checkpoint *c);

/* Where the machines other than the failing one stand now: a number for everything but shared memory that
 * their future depends on.  Equal numbers are equal places.  pre: the world was saved just now. */
uint32_t survivors_place(int failing, const struct world_snapshot *world);

/* The world without those machines, and what of the runtime's state goes with it, as bytes that are equal
 * exactly if that is the same.  False: there is no way to tell. */
struct str;
bool survivors_put_world(const struct world_snapshot *world, uint32_t gone, struct str *out);

/* Host side: explore everything that follows from that failure.  pre: back at the checkpoint, the
 * failure taken as the newest choice. */
void survivors_explore(const struct checkpoint *c);

/* Does the program run on behalf of survivors_explore? */
bool survivors_running(void);

/* Has it left a load to the host?  Then answer it; false: another execution was in the same state, and
 * the run is over. */
bool survivors_asked(void);
bool survivors_answer(void);

#endif
