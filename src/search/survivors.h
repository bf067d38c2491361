/* What the survivors do after the last failure of a scenario, without doing it again (cxl model).
 *
 * Once no further machine may fail, the rest of the execution is a function of where the survivors
 * stand and of the bytes of shared memory they read.  Failures at different moments of a machine that
 * ran alone leave the survivors at the same place, so what they read and did is kept in a trie
 * (explore/memo.h) for that place, and walked with the constraints of each failure; the program
 * runs only where the trie has no answer yet.
 *
 * Why a place is what it is: given the same decisions (path), two failures of a machine lie on one
 * execution.  If no survivor had a turn in between, their own memory and threads are the same; what
 * else a machine can change for the others is counted by whoever changes it (lock operations, time,
 * threads, machine_shared_changes), and counters that only grow are equal only if nothing happened.
 * Bytes of shared memory that the runtime looks at by itself are observations, too; where survivors
 * read what may be a pointer to memory of the failed machine, nothing is shared. */
#ifndef SEARCH_SURVIVORS_H
#define SEARCH_SURVIVORS_H

#include <stdbool.h>
#include <stdint.h>

struct checkpoint;

/* Is the failure decided at this checkpoint the last one, so that what follows can be shared? */
bool survivors_shared(const struct checkpoint *c);

/* Where the machines other than the failing one stand now: a number for everything but memory that
 * their future depends on.  Equal numbers are equal places. */
uint32_t survivors_place(int failing);

/* A number for the decisions taken so far and then alternative `taken` of the one at hand. */
uint32_t survivors_path(uint32_t taken);

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
