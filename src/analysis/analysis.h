/* Analyses of pm and cxl executions: monitors that watch the executions that are explored anyway, and never steer.
 *
 * The search tells what happens along the execution under way: each step as it is applied (analyses_step), and each
 * load of what an earlier execution may have left, with every answer it has (analyses_candidates) and the one that is
 * taken (analyses_load).  Executions share beginnings, so everything goes back to a mark.  What an analysis finds it
 * reports at once (found); that does not end the execution.
 *
 * robustness.h (PSan) and race.h (Yashme) are the analyses, machines.h is their part for failures of single machines;
 * ordinary programs have data_race.h and store_buffer.h instead.  Host memory. */
#ifndef ANALYSIS_ANALYSIS_H
#define ANALYSIS_ANALYSIS_H

#include "analysis/machines.h"
#include "analysis/race.h"
#include "analysis/robustness.h"
#include "event/clock.h"
#include "finding/finding.h"
#include "memory/line.h"

/* A load after a failure. */
struct analysis_load {
  uint32_t number; /* among the loads of the execution */
  const struct line *line;
  uintptr_t address;
  int size, level;
  const struct abi_site *site;
  uintptr_t code;      /* code address, if there is no site */
  int thread, machine; /* cxl */
  bool ignored;        /* between tidemark_ignore_begin and _end */
  bool postponed;      /* part of a checksum validation that has not ended yet */
};

/* Something was found.  Stores are named by their steps (event/trace.h). */
struct analysis_report {
  enum finding_kind kind;
  uint32_t store;                    /* the one at fault */
  uint32_t survivor;                 /* robustness: a later one that was read */
  const struct analysis_load *load;  /* the load that shows it */
  const struct analysis_load *other; /* robustness: the load that read the survivor */
  const struct candidate *candidate; /* the answer that shows it; NULL: the one that was taken */
};

/* The taken answer of a postponed load. */
struct analysis_postponed {
  struct analysis_load load;
  size_t first; /* its sightings among the postponed ones */
};

struct analyses {
  bool robustness_wanted, races_wanted;
  const struct trace *trace;
  void (*found)(const struct analysis_report *r);
  struct analysis_load (*load)(uint32_t number); /* pm: an earlier one of the execution */
  VEC(struct analysis_load) loads;               /* cxl: those that told something */
  /* pm: had the step, of the execution before any failure, happened when the power failed, as far as loads
   * have told? */
  bool (*happened)(uint32_t step);
  /* Set if what analyses learn about lines is kept with them (memory.watched, memory.told_in), otherwise NULL.  whole:
   * no store to the line before that step is torn; cxl: that store is not.  torn (cxl): that store may be torn, and was
   * read. */
  void (*whole)(const struct line *l, uint32_t step);
  void (*torn)(const struct line *l, uint32_t step);
  const struct line *(*line_at)(uintptr_t address); /* cxl */
  struct clock clock;
  struct robustness robustness;
  struct race race;
  struct machines machines;
  sighting_list sightings;                  /* of the answer under consideration */
  VEC(struct analysis_postponed) postponed; /* of all validations so far, in order */
  sighting_list postponed_sightings;
  size_t validation; /* where those of the one under way begin */
  bool imprecise;    /* for some load it is open which store it read; never cleared */
};

struct analyses_mark {
  struct clock_mark clock;
  struct robustness_mark robustness;
  struct race_mark race;
  struct machines_mark machines;
  size_t loads, postponed, postponed_sightings, validation;
};

/* The next step of the trace happens. */
void analyses_step(struct analyses *a);
void analyses_free(struct analyses *a);

/* A load has these answers, of which none is taken yet. */
void analyses_candidates(struct analyses *a, const struct memory *m, const struct analysis_load *l,
                         const struct candidate *candidates, size_t count);

/* Can nothing more be found in the execution, whatever it reads? */
static inline bool analyses_done(const struct analyses *a) {
  return a->robustness.violated && !a->races_wanted;
}

/* Does a load after the first failure say nothing new, whatever it reads?  Most of what is read was
 * written back before the failure, by something that is known to have happened. */
static inline bool analyses_settled(const struct analyses *a, const struct line *l,
                                    uintptr_t address, int size, int level) {
  if (level != 1 || a->machines.failed)
    return false;
  const struct store *newest = memory_newest_settled(l, 0, (int)(address - l->address), size);
  return newest &&
         (!a->robustness_wanted || a->robustness.violated ||
          newest->step < a->robustness.cuts.whole_first) &&
         (!a->races_wanted || race_settled(&a->race, l, newest->step));
}

/* A load takes this answer, or (NULL) the only one it has. */
void analyses_load(struct analyses *a, const struct memory *m, const struct analysis_load *l,
                   const struct candidate *c);

/* pm, a fast path of analyses_load: a load that reads one store, which was certainly written back.  True: that was
 * noted, and nothing can be found.  False: call analyses_load. */
bool analyses_load_quickly(struct analyses *a, const struct line *l, uintptr_t address, int size,
                           int level);

/* A fast path for several loads at once, which read what was certainly written back, of lines without torn stores
 * (analyses_certain).  For each thread of the failed execution the newest step that one of them reads says everything:
 * `newest`, by thread, TRACE_NONE: none.  False: tell them one by one. */
bool analyses_certain(const struct analyses *a, const struct line *l, int level);
bool analyses_newest(const struct analyses *a, const struct line *l, uintptr_t address, int size,
                     uint32_t *newest, uint32_t threads);
bool analyses_loads(struct analyses *a, const uint32_t *newest, uint32_t threads);

/* A checksum validation ends: its loads count if it was right. */
void analyses_checksum(struct analyses *a, const struct memory *m, bool valid);

/* For memoised walks (search/recall.h), pm.  is_whole: is everything that will be found a function of memory
 * (memory.watched) and of the bytes that put_state appends? */
bool analyses_is_whole(const struct analyses *a);
void analyses_put_state(const struct analyses *a, struct str *out);

struct analyses_mark analyses_mark(const struct analyses *a);
void analyses_undo(struct analyses *a, const struct analyses_mark *m);

#endif
