/* Robustness and races where machines fail one by one (cxl): which steps of failed machines must have happened?
 *
 * Imagine machines that lose nothing in their caches.  An execution could also have happened there
 * if from each failed machine, for each of its threads, the last steps can be left out (it failed, or
 * was not given time, earlier) so that everybody who is left still reads what it read.  All steps of live
 * machines are left, and with a step all that happens before it (event/clock.h): so a step of a failed
 * machine must have happened exactly if a live thread knows of it.
 *
 *      machine 0:  x=1   y=1   fails              x is lost
 *      machine 1:              reads y    reads x: 0
 *
 * y=1 was read, x=1 happens before it, and on that machine x could not be 0.  A load that misses a store
 * counts as long as its own machine lives, and later if somebody knows what it did afterwards.
 *
 * Host memory. */
#ifndef ANALYSIS_MACHINES_H
#define ANALYSIS_MACHINES_H

#include "memory/line.h"

struct analyses;
struct analysis_load;

/* A load has read that store, or missed it. */
struct machines_fact {
  uint32_t step, load; /* the store; the load, its index in analyses.loads */
  uint32_t tick;       /* how many steps the loading thread had made, the load included */
  uint16_t thread;
};

struct machines {
  const uint16_t *failed; /* bit per machine; NULL: the pm model, where the whole system fails */
  uint32_t (*failed_at)(int machine); /* the step before which it failed */
  bool global_flush;
  VEC(uint8_t) machine_of; /* thread */
  VEC(struct machines_fact) read, missed;
  VEC(uint32_t) looks;     /* stores of failed machines that were read so far, */
  VEC(uint64_t) looked_at; /* and the same as a set of bits */
};

struct machines_mark {
  size_t machine_of, read, missed, looks;
};

/* Must the step have happened?  Has its machine failed? */
bool machines_require(const struct analyses *a, uint32_t step);
bool machines_lost(const struct analyses *a, uint32_t step);

/* How many steps of the thread must have happened? */
uint32_t machines_known(const struct analyses *a, int thread);

/* For memoised walks after the last failure: what the race analysis knows besides memory, as bytes. */
struct str;
void machines_put_state(const struct analyses *a, struct str *out);

/* Is it the first time that this store of a failed machine is read?  And now it has been. */
bool machines_first_look(const struct analyses *a, uint32_t step);
void machines_look(struct analyses *a, uint32_t step);

void machines_step(struct analyses *a, uint32_t step);

/* A fast path: does a load with one answer say nothing new, because it reads the newest store, its thread knows that
 * store, and the race analysis has looked at it or would find nothing? */
bool machines_settled(struct analyses *a, const struct memory *m, const struct analysis_load *l);

/* For several loads at once, of one answer each.  machines_newest: the stores that this one reads go to `newest`, by
 * thread, unless there is a newer one; false: it has to be told by itself.  machines_know: does the thread know all of
 * them?  Then the loads say nothing new about what has happened. */
bool machines_newest(const struct analyses *a, const struct memory *m, const struct line *l,
                     uintptr_t address, int size, uint32_t *newest, uint32_t threads);
bool machines_know(const struct analyses *a, int thread, const uint32_t *newest, uint32_t threads);

/* An answer to a load, which is taken or (taken false) only looked at. */
void machines_answer(struct analyses *a, const struct analysis_load *l, const sighting_list *s,
                     const struct candidate *candidate, bool taken);

struct machines_mark machines_mark(const struct machines *m);
void machines_undo(struct machines *m, const struct machines_mark *mark);
void machines_free(struct machines *m);

#endif
