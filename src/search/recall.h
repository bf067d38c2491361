/* What came of a walk from some observation on, so that it need not be walked again.
 *
 * What lies below a node of the trie depends on memory only through the lines that are *consulted*
 * there: those of its loads.  So with a node is kept: with these versions of these lines
 * (memory_version) its executions ended so and so often in these ways.  Whoever arrives with the same
 * versions of these lines takes that over, whatever is known about other lines: the walk would take
 * the same steps.
 *
 *      frames    one for each branch of the walk, with what was counted below it so far
 *      known     the versions of all lines, as an array (base/radix.h) that goes back with the walk; and of
 *                what is known about the cut of an execution that is open, by process (memory/line.h)
 *
 * While lines are divided (memory_divide) an end stands for as many executions as there are combinations
 * of cells: frames count those.  An entry leaves out the cells of lines that are not consulted, which do
 * not belong to it; whoever takes it over has others.
 *
 * Whoever watches the walk has a number for what he knows besides memory, where it matters (besides).
 *
 * It costs several times what a walk costs, so it begins only when a walk has come to many ends.
 * Frames that were open then have not counted everything, and nothing is kept about their nodes.
 * Host memory. */
#ifndef SEARCH_RECALL_H
#define SEARCH_RECALL_H

#include "base/radix.h"
#include "explore/memo.h"
#include "memory/line.h"
#include "search/tally.h"

struct recall_entry {
  uint32_t failed;  /* memory.failed */
  uint32_t besides; /* recall.besides */
  radix_id known, consulted;
  struct tally tally;
};

/* With a node: the newest ones.  Owned by the node, given back with recall_forget. */
#define RECALL_ENTRIES 8
struct recall_entries {
  uint32_t count; /* ever */
  struct recall_entry *at[RECALL_ENTRIES];
};

struct recall_frame {
  bool counted;     /* everything below was */
  uint32_t besides; /* on arrival */
  radix_id known;   /* on arrival */
  size_t consults;  /* of recall.consults, before it */
  radix_id consulted;
  struct tally tally;
};

struct recall {
  bool allowed;     /* the walk's user can take over a tally */
  bool on;          /* for the walk under way */
  uint32_t besides; /* set by the walk, before a branch is made or an entry looked for */
  uint64_t after;   /* it begins when a walk has come to so many ends; 0: at once */
  bool pays;        /* it did in the walk before */
  uint64_t ends;    /* of the walk under way */
  uint64_t kept, found,
      taken;       /* entries, and how often one fitted, and was taken over, in this walk */
  uint64_t spared; /* executions, by taking over; UINT64_MAX: more */
  bool judged;     /* whether that pays */
  struct radix radix;
  struct memory_versions versions;
  radix_id known;
  uint32_t failed;          /* memory.failed to which it belongs */
  size_t synced;            /* trail up to which it is right, */
  VEC(uint32_t) stale;      /* except for these lines */
  VEC(struct line *) lines; /* by number, those in known */
  VEC(struct recall_frame) frames;
  VEC(uint32_t) consults;   /* numbers of lines along the path */
  VEC(uint32_t) consult_of; /* by line: 1 + where it is in consults, if it still is */
};

/* A walk begins and ends. */
void recall_begin(struct recall *r, const struct memory *m, bool allowed);
void recall_end(struct recall *r);

/* The walk reads a line; comes to an end, with so many branches open; promises: nothing but memory has decided
 * how it came there, so that others may well come to the same. */
void recall_consult(struct recall *r, const struct memory *m, const struct line *l);
void recall_ended(struct recall *r, const struct memory *m, uint32_t result, size_t branches,
                  bool promises);

/* Something else was counted, once. */
void recall_note(struct recall *r, uint32_t result);

/* A branch begins, before anything is chosen; has no further alternative. */
void recall_open(struct recall *r, struct memory *m);
void recall_spoil(struct recall *r); /* the newest one: not all of its alternatives will be tried */
void recall_spoil_all(struct recall *r);
/* keeps: what came of it depends on nothing but memory. */
void recall_close(struct recall *r, const struct memory *m, struct memo_node *n, bool keeps);

/* The newest one has no further alternative and is not done: what was counted there (this tally), and that
 * entry is kept, but the walk will count it again. */
const struct tally *recall_counted(const struct recall *r);
void recall_again(struct recall *r, const struct memory *m, struct memo_node *n);

/* Undo memory to that mark, of the newest branch unless the walk is given up. */
void recall_undo(struct recall *r, struct memory *m, size_t mark);

/* What is known to come of n with memory as it is, or NULL; and the walk takes it over. */
const struct recall_entry *recall_find(struct recall *r, struct memory *m,
                                       const struct memo_node *n);
void recall_take(struct recall *r, const struct memory *m, const struct recall_entry *e);

void recall_clear(struct recall *r); /* all entries were given back; between walks */
void recall_forget(struct recall *r, struct recall_entries *e); /* the node is given back */

#endif
