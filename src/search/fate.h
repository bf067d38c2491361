/* Memoisation of decisions in a cxl search: what came of a decision is taken over by decisions in the same state.
 *
 * A checkpoint is all that an execution needs to go on, so everything that can follow is a function of it.  Of that
 * checkpoint the following is the key: the world without the private memory of failed machines
 * (survivors_put_world), what machines have said, and how those that have ended did.  Shared memory is left out of the
 * key; instead each entry lists the lines that were *consulted* below the decision, with their versions:
 *
 *      state 17   lines {3: v4, 9: v1}   -->   ended 12 times with verdicts A, 3 times with verdicts B
 *
 * Whoever comes to state 17 with these versions of lines 3 and 9 would take exactly the same steps, whatever other
 * lines hold, and takes the counts over.  Counters that only measure (steps, decisions) are not part of a state.
 *
 * States are taken while some machine has failed and another may: before the first failure there is one execution, and
 * after the last one survivors.h knows more.  Called by cluster.c for each checkpoint.  Host memory. */
#ifndef SEARCH_FATE_H
#define SEARCH_FATE_H

#include "access/cxl.h"
#include "search/tally.h"
#include <stdbool.h>
#include <stdint.h>

struct checkpoint;

/* What is collected at a checkpoint while the search explores what follows it. */
struct fate {
  bool counts;        /* the tally has everything that came of it so far */
  bool taken;         /* it was taken over from an entry */
  uint32_t state;     /* number of its state; 0: none was taken */
  uint32_t points;    /* the most failure points of an execution that came of it */
  struct tally tally; /* of lists of verdicts, by number */
  cxl_line_set lines; /* that were consulted */
};

bool fate_is_wanted(void); /* in this search */

/* A decision is about to be opened: take its state, if that is worth it.  pre: the world was saved. */
void fate_begin(struct checkpoint *c);

/* Is it known what comes of it?  Then its executions are counted, and the decision is done. */
bool fate_take(struct checkpoint *c);

/* How executions below the newest decision end also depends on what came before it: no entries are made on the way. */
void fate_spoil(void);

/* So many executions (NULL: one) have ended with the verdicts of the execution under way. */
void fate_count(const struct bigint *times);

/* What follows from the newest decision depends on these lines, too; collect: on those that the run has consulted. */
void fate_consult(const cxl_line_set *lines);
void fate_collect(void);

/* The newest checkpoint is given back, and was taken from the list.  whole: everything that can come of it was
 * explored, and memory is as it was there, so that an entry can be made. */
void fate_end(struct checkpoint *c, bool whole);

/* Drop all entries.  Numbers of states that checkpoints still have are not given out again. */
void fate_forget(void);

#endif
