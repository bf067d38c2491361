/* What the survivors do after the last failure of a cxl scenario, shared between executions.
 *
 * Once no further machine may fail, the rest of the execution is a function of the *place* where the survivors stand
 * and of the bytes of shared memory they read.  What they read and did is kept in a trie (explore/memo.h) for each
 * place, and walked (search/walk.h) with the constraints of each failure that leaves the survivors there; the program
 * runs only where the trie has no answer yet.
 *
 *      failure A --\
 *      failure B ----> place 5: load x --0--> load y ... end         each walks the same trie, with its own intervals
 *
 * Why this is exact: a checkpoint is all that an execution needs to go on, so its future is a function of it.  Left out
 * of the place are only shared memory, which the trie asks for, and what failed machines had for themselves: their
 * images, heaps, stacks, and their copies of libc's variables (world_put_rest).  Bytes of shared memory that the
 * runtime looks at by itself are observations, too.  Where a survivor has read something that may be a pointer into
 * memory of a failed machine, nothing is shared.
 *
 * Called by cluster.c at the last failure.  Host memory. */
#ifndef SEARCH_SURVIVORS_H
#define SEARCH_SURVIVORS_H

#include <stdbool.h>
#include <stdint.h>

struct checkpoint;
struct world_snapshot;

/* Is the failure that is decided on at this checkpoint the last one, so that what follows it can be shared? */
bool survivors_shared(const struct checkpoint *c);

/* The place of the machines other than the failing one, now: a number for everything that their future depends on,
 * except shared memory.  Equal numbers are equal places.  pre: the world was saved just now. */
uint32_t survivors_place(int failing, const struct world_snapshot *world);

/* Append the world without the machines in `gone` (a bit each), and what of the runtime's state goes with it, as bytes
 * that are equal exactly if that is the same.  False: it cannot be told. */
struct str;
bool survivors_put_world(const struct world_snapshot *world, uint32_t gone, struct str *out);
/* The same without those that have failed, for whoever asks whether they will ever do something else (standstill.h): how
 * much is left of the turn of a thread that is alone is left out. */
bool survivors_put_standing(const struct world_snapshot *world, struct str *out);

/* Host side: explore everything that follows from that failure.  pre: back at the checkpoint, the
 * failure taken as the newest choice. */
void survivors_explore(const struct checkpoint *c);

/* Does the program run on behalf of survivors_explore? */
bool survivors_running(void);

/* Has that run left a load to the host (search/merge.h)?  answer: answer it; false: another execution was in the same
 * state, and the run is over. */
bool survivors_asked(void);
bool survivors_answer(void);

#endif
