/* Robustness (PSan): could what a recovery has read also have been left by a machine on which every
 * store is persistent as soon as it is visible?
 *
 * On such a machine the failed execution was cut off somewhere (memory/cut.h), and memory holds
 * exactly what was stored before.  So a load that reads a store says that it has happened; that it
 * does not read a newer one says that this one has not.  If no cut has all these facts, a store was
 * lost although a later one survived, and a flush is missing between them. */
#ifndef ANALYSIS_ROBUSTNESS_H
#define ANALYSIS_ROBUSTNESS_H

#include "base/intern.h"
#include "memory/cut.h"
#include "memory/line.h"

struct analyses;
struct analysis_load;
struct analysis_report;

/* A load (its number in the execution) has read the store of that step, or missed it. */
struct robustness_fact {
  uint32_t step, load;
};

/* Of those who missed a store of the same place at the same place one is reported. */
struct robustness_missed {
  struct robustness_fact fact;
  const struct abi_site *site; /* of the load */
  uintptr_t code;
  /* Once it is in the chain of its places (robustness.places): 1 + the fact before it in that chain, 0: none, and the
   * last step of all up to this one. */
  uint32_t places, before, last_step;
};

struct robustness {
  struct cuts cuts;
  VEC(struct robustness_fact) read;
  VEC(struct robustness_missed) missed;
  /* The first so many of them are in chains, the newest first, one for each pair of places: many loads in a loop miss
   * many stores, of which the nearest one is reported.  newest: by number of the pair, 1 + its fact; open: the pairs that
   * have one. */
  size_t chained;
  struct intern places;
  VEC(uint32_t) newest;
  VEC(uint32_t) open;
  /* The execution has taken an answer that no cut explains: nothing more is said about it. */
  bool violated;
};

struct robustness_mark {
  size_t cuts, read, missed;
  bool violated;
};

/* An answer to a load, which is taken or (taken false) only looked at. */
void robustness_answer(struct analyses *a, const struct memory *m, const struct analysis_load *l,
                       const sighting_list *s, const struct candidate *candidate, bool taken);

struct robustness_mark robustness_mark(const struct robustness *r);
void robustness_undo(struct robustness *r, const struct robustness_mark *m);
void robustness_free(struct robustness *r);

#endif
