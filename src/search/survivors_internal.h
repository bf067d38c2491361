/* What survivors.c (keeps tries and walks them) and survivors_program.c (runs the program) share. */
#ifndef SEARCH_SURVIVORS_INTERNAL_H
#define SEARCH_SURVIVORS_INTERNAL_H

#include "base/intern.h"
#include "explore/memo.h"
#include "search/cluster_internal.h"
#include "search/merge.h"
#include "search/record.h"
#include "search/survivors.h"

/* How runs of the survivors end: most of them alike, so each way is kept once.  Followed by the verdicts of the machines
 * that ended before the last one, and by what was added to the outcome. */
struct ending {
  struct stop last; /* stop_normal */
  uint32_t verdicts;
  uint32_t has_outcome;
};

/* A place where survivors stood. */
struct standing {
  struct memo_node *root;
  cxl_line_set lines; /* that runs from there have consulted (fate.h) */
  bool leads_away;    /* an observed value may be a pointer to memory of the failed machine */
};

/* Host memory. */
struct survivors {
  struct intern positions;
  uint32_t forgotten;              /* so many numbers of places are not used any more */
  VEC(struct standing) places;     /* by number - forgotten; the first is not used */
  uint64_t own_count;              /* places that are like no other */
  VEC(uint32_t) kept;              /* places with a trie */
  struct intern endings;           /* of struct ending, as long as there are tries */
  size_t bytes_before;             /* that were in use when nothing was kept */
  VEC(struct analyses_mark) marks; /* of the walk */
  /* The run under way. */
  bool running;
  bool unchained; /* the next load gets a node of its own, not a place in a chain */
  struct record record;
  struct merge merge;
  uint32_t place;
  const struct checkpoint *checkpoint; /* the failure that is explored */
  uint64_t ends;                       /* of the walk under way */
  struct intern besides;               /* what analyses know where a walk is memoised, as numbers */
};

extern struct survivors survivors;

/* The place with that number; NULL: it was forgotten. */
struct standing *survivors_standing(uint32_t number);

/* A survivor has read this value.  If it may be an address in private memory of a failed machine, what lies there
 * matters, which is no observation: the place is not shared any more. */
void survivors_note_value(uint64_t value);

/* The stores with that number in m->bytes, which a run made up to a compared state, become part of memory. */
void survivors_add_stores(const struct merge *m, uint32_t number);

/* Fill in how states of survivors are taken and put back. */
void survivors_prepare_merge(struct merge *m);

/* Run the survivors from the checkpoint along the path to n and beyond; leaves everything on the
 * host as it was. */
void survivors_run(struct walk *w, struct memo_node *n);

#endif
