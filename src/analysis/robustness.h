/* Robustness (PSan): could what a recovery has read also have been left by a machine on which every
 * store is persistent as soon as it is visible?
 *
 * On such a machine the failed execution was cut off somewhere (memory/cut.h), and memory holds
 * exactly what was stored before.  So a load that reads a store says that it has happened; that it
 * does not read a newer one says that this one has not.  If no cut has all these facts, a store was
 * lost although a later one survived, and a flush is missing between them. */
#ifndef ANALYSIS_ROBUSTNESS_H
#define ANALYSIS_ROBUSTNESS_H

#include "memory/cut.h"
#include "memory/line.h"

struct analyses;
struct analysis_load;
struct analysis_report;

/* A load, by its number among all of the execution, has read that store, or missed it. */
struct robustness_fact {
  uint32_t step, load;
};

struct robustness {
  struct cuts cuts;
  VEC(struct robustness_fact) read, missed;
  bool violated; /* the execution has taken such an answer: nothing more can be said about it */
};

struct robustness_mark {
  size_t cuts, read, missed;
  bool violated;
};

/* An answer to a load; it is only looked at, or taken. */
void robustness_answer(struct analyses *a, const struct memory *m, const struct analysis_load *l,
                       const sighting_list *s, const struct candidate *candidate, bool taken);

struct robustness_mark robustness_mark(const struct robustness *r);
void robustness_undo(struct robustness *r, const struct robustness_mark *m);
void robustness_free(struct robustness *r);

#endif
