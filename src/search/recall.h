/* Memoisation of walks: what came of a node of the trie is not walked again while it would come out the same.
 *
 * What lies below a node depends on memory only through the lines that are *consulted* there: those of its loads.  So
 * each node keeps entries of the form
 *
 *      with these versions of these lines (memory_version), executions below ended in these ways, so and so often
 *
 * A walk that arrives with the same versions of these lines takes the counts over, whatever is known about other lines:
 * it would take exactly the same steps.  That is the argument for exactness; docs/decisions.md (2026-11-15,
 * "what comes of a node is remembered") has it at length.
 *
 *      frames    one for each branch of the walk, with what was counted below it so far
 *      known     the versions of all lines, as a persistent array (base/radix.h) that goes back with the walk; behind
 *                them, by process, what is known about the cut of an execution that is open (memory/line.h)
 *
 * While lines are divided (memory_divide) an end stands for as many executions as there are combinations of cells, and
 * frames count those.  An entry leaves out the factor for lines that are not consulted, whose cells do not belong to
 * it; whoever takes it over multiplies with its own.
 *
 * The walk's user has a number for what it knows besides memory, if that matters (besides): analyses do.
 *
 * It costs several times what a walk costs, so it begins only when a walk has come to many ends.  Frames that were open
 * then have not counted everything, and no entries are made for their nodes.  Called by walk.c.  Host memory. */
#ifndef SEARCH_RECALL_H
#define SEARCH_RECALL_H

#include "base/radix.h"
#include "explore/memo.h"
#include "memory/line.h"
#include "search/tally.h"

struct recall_entry {
  uint32_t failed;           /* memory.failed */
  uint32_t besides;          /* recall.besides */
  radix_id known, consulted; /* versions of all lines; which of them count */
  struct tally tally;
};

/* Tallies count results of executions, and below them what analyses reported on the way: numbers from here on. */
#define RECALL_REPORTED (UINT32_C(1) << 31)

/* What an entry keeps of a branch: there is none; how its executions end, for walks that would report nothing more;
 * everything. */
enum recall_keeps { RECALL_NOTHING, RECALL_ENDS, RECALL_ALL };

/* The newest entries of a node.  Owned by the node, given back with recall_forget. */
#define RECALL_ENTRIES 8
struct recall_entries {
  uint32_t count; /* ever */
  struct recall_entry *at[RECALL_ENTRIES];
};

/* A branch of the walk. */
struct recall_frame {
  bool arrived;     /* besides and known are known; not so if it was open before counting began */
  bool counted;     /* the tally has everything below it */
  uint32_t besides; /* on arrival */
  radix_id known;   /* on arrival */
  size_t consults;  /* length of recall.consults before it */
  radix_id consulted;
  struct tally tally;
};

struct recall {
  bool allowed;     /* the walk's user can take over a tally */
  bool on;          /* in the walk under way frames are kept */
  uint32_t besides; /* set by the walk, before a branch is made or an entry looked for */
  uint64_t after;   /* begin when a walk has come to so many ends; 0: at once */
  bool pays;        /* it did in the walk before */
  bool at_once;     /* begin at once in the next walk: it is one that was left */
  uint64_t ends;    /* of the walk under way */
  uint64_t steps;   /* nodes that it has passed, counted by the walk */
  /* In this walk: entries made, how often one fitted, and how often it was taken over. */
  uint64_t kept, found, taken;
  uint64_t spared; /* executions that were not walked for that reason; at most UINT64_MAX */
  bool judged;     /* it was decided whether that pays */
  struct radix radix;
  struct memory_versions versions;
  radix_id known;
  uint32_t failed;          /* memory.failed to which `known` belongs */
  size_t synced;            /* length of memory's trail up to which `known` is right, */
  VEC(uint32_t) stale;      /* except for these lines */
  VEC(struct line *) lines; /* by number, those in known */
  VEC(struct recall_frame) frames;
  VEC(uint32_t) consults;   /* numbers of lines that were consulted along the path */
  VEC(uint32_t) consult_of; /* by line: 1 + where it is in consults, if it still is */
};

/* A walk begins and ends. */
void recall_begin(struct recall *r, const struct memory *m, bool allowed);
void recall_end(struct recall *r);

/* The walk reads a line. */
void recall_consult(struct recall *r, const struct memory *m, const struct line *l);
/* The walk comes to an end, with so many branches open.  promises: only memory has decided how it came there, so that
 * entries would probably be found again.  Does it begin to count here? */
bool recall_ended(struct recall *r, const struct memory *m, uint32_t result, size_t branches,
                  bool promises);
/* Have entries fitted, or spared executions, often enough so far?  Or are ends so far from each other that it cannot be
 * waited for? */
bool recall_pays(const struct recall *r);
/* Would it take little to walk again what was walked so far?  It is short, or there are entries for it. */
bool recall_repeats(const struct recall *r);

/* Something else was counted, once. */
void recall_note(struct recall *r, uint32_t result);

/* A branch begins, before an alternative is chosen. */
void recall_open(struct recall *r, struct memory *m);
/* The newest branch, or all: not all of its alternatives will be counted, so no entry can be made. */
void recall_spoil(struct recall *r);
void recall_spoil_all(struct recall *r);
/* The newest branch has no further alternative: make an entry for its node n. */
void recall_close(struct recall *r, const struct memory *m, struct memo_node *n,
                  enum recall_keeps keeps);

/* What was counted below the newest branch, which has no further alternative.  again: make the entry, but count from 0
 * because the walk will try the alternatives once more, one by one. */
const struct tally *recall_counted(const struct recall *r);
void recall_again(struct recall *r, const struct memory *m, struct memo_node *n);

/* Undo memory to that mark, which is the one of the newest branch unless the walk is given up. */
void recall_undo(struct recall *r, struct memory *m, size_t mark);

/* Is about half of what the walk comes to known, or could be soon?  Then it is not worth dividing: whoever walks a part
 * of it would have to find out most of the same. */
bool recall_is_steady(const struct recall *r);

/* The entry of n that fits memory as it is, or NULL; take: its counts become part of the walk's, which has so many
 * branches open.  Does it begin to count here? */
const struct recall_entry *recall_find(struct recall *r, struct memory *m,
                                       const struct memo_node *n);
bool recall_take(struct recall *r, const struct memory *m, const struct recall_entry *e,
                 size_t branches);

void recall_clear(struct recall *r); /* all entries were given back; between walks */
void recall_forget(struct recall *r, struct recall_entries *e); /* the node is given back */

#endif
