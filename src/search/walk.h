/* Walking the trie of observations after a failure, and having the program run where the trie has no answer yet.
 *
 * A walk follows a trie (explore/memo.h) from its root to an end: at each load it asks memory/ which stores the load
 * can read, takes one, and goes on behind the edge for its value; then it comes back to the newest branch, takes its
 * next alternative, and so on (depth-first search with backtracking).  What else there is besides loads, and what
 * happens on the way, is up to its user, struct walk_user: the pm search (search.c) or the survivors of the cxl search
 * (survivors.c).
 *
 * Three things keep walks small:
 *   - what came of a node is memoised for the lines that were consulted below it (search/recall.h);
 *   - where all answers to a load lead to the same node (behind a MEMO_MERGE) none of them is chosen: the walk goes
 * there
 *     once, with the line divided into cells (memory_divide), and an end counts for every combination of cells.
 * Results
 *     are counted first and told to the user afterwards, for the branch as a whole; if the user has to see one of these
 *     executions (struct walk_user, take) they are walked one after the other.  As that may come late, an end with a
 * new
 *     kind of result is shown at once by one execution, the *witness*;
 *   - loads with one answer each are chains, which are passed over as a whole if no line has changed.
 *
 * A walk may begin while another one of the same struct is under way (a failure in an execution after a failure): each
 * goes back only to branches of its own.  A walk leaves memory and history as it found them.  Host memory. */
#ifndef SEARCH_WALK_H
#define SEARCH_WALK_H

#include "explore/memo.h"
#include "memory/line.h"
#include "search/history.h"
#include "search/recall.h"
#include "search/sum.h"

struct walk;

struct walk_user {
  /* Run the program along the path to n, which is not executed yet, and beyond; or run it again. */
  void (*run)(struct walk *w, struct memo_node *n);
  bool (*runs_again)(struct walk *w, struct memo_node *n); /* at an end: although it is known? */
  /* The load n, which has several answers, was recorded without a state, so that what they lead to cannot be the same.
   * Run the program again along the path to n, to take one: then n is a MEMO_MERGE.  False: n is as it was.  May be
   * NULL. */
  bool (*take_state)(struct walk *w, struct memo_node *n);

  void (*arrive)(struct walk *w, struct memo_node *n); /* apply the events before the observation */
  void (*ended)(struct walk *w, struct memo_node *n);  /* an execution is covered */
  /* So many executions are covered without being walked.  False: they have to be walked one by one, because one of them
   * has to be described. */
  bool (*take)(struct walk *w, const struct tally *t);
  bool (*over)(struct walk *w); /* shall the walk end here? */
  /* While all answers to some load are taken at once; may be NULL where w->divides is not set.  is_new_result: was no
   * execution seen that ends like n?  witness: here is one; it will be counted later.  ending: shall the search end at
   * its next position? */
  bool (*is_new_result)(struct walk *w, const struct memo_node *n);
  void (*witness)(struct walk *w, const struct memo_node *n);
  bool (*ending)(struct walk *w);
  /* The next three are asked only if w->recalls is set.  is_whole: does everything that comes of the node where the
   * walk is depend on memory alone, and not on orders of operations that were tried before?  May be NULL: it does. */
  bool (*is_whole)(struct walk *w);
  /* What of that may an entry keep?  May be NULL: all if it is_whole, otherwise nothing. */
  enum recall_keeps (*keeps)(struct walk *w);
  /* A number for what the user knows besides memory, as far as it matters for what comes.  May be NULL. */
  uint32_t (*besides)(struct walk *w);

  /* May the walk under way be left, and begin again?  Then it will be (search/again.h).  May be NULL: it may not. */
  bool (*again)(struct walk *w);
  /* With `again`: could executions that end like those so far be taken over (take)? */
  bool (*settled)(struct walk *w);
  /* Could executions now be taken over (take) that had to be walked one by one before?  With it, again must be there. */
  bool (*relents)(struct walk *w);

  /* A load has several answers, which are in w->raw; choice is the one between them, NULL if their values are the same
   * and there is none.  May be NULL. */
  void (*doubt)(struct walk *w, const struct memo_load *l, struct choice *choice);
  /* The load takes this answer, or (NULL) the only one it has. */
  void (*answer)(struct walk *w, const struct memo_load *l, const struct candidate *taken,
                 uint64_t value);
  /* If w->skims: so many loads in a row have the one answer that they had before.  may_skim: is it enough to call
   * skimmed once for all loads of this part of a chain, instead of `answer` for each?  NULL: it is. */
  bool (*may_skim)(struct walk *w, const struct memo_chain *part);
  void (*skimmed)(struct walk *w, const struct memo_load *l, uint32_t count);

  /* follow: n is an observation other than a load; go on behind it.  NULL: there is no way to go on.  next: the
   * following alternative of the newest branch, which is such a node; NULL: none, and its choice is closed. */
  struct memo_node *(*follow)(struct walk *w, struct memo_node *n);
  struct memo_node *(*next)(struct walk *w, struct memo_node *n);

  void (*gone)(struct walk *w, struct memo_node *n); /* the node is given back; may be NULL */

  /* The user's own state, which goes back with the walk as memory and the history do.  A stack of marks: push one; go
   * back to the newest one; drop the newest one. */
  void (*mark)(struct walk *w);
  void (*back)(struct walk *w);
  void (*drop)(struct walk *w);
};

/* How the alternatives of a branch are tried. */
enum walk_way {
  WALK_CHOICE, /* one after the other, each a choice of the replay token */
  WALK_QUIET,  /* one after the other, below a branch that takes all: the user is told nothing */
  /* There is one alternative; it is a branch only so that what comes of it is memoised. */
  WALK_ONLY,
  WALK_ALL, /* all at once: they lead to the same node, and which one it was stays open */
};

/* An observation along the current path that may have another answer, with what is needed to try it.  A load's answers
 * are in the history, if they are tried one after the other. */
struct walk_branch {
  struct memo_node *node;
  size_t mark;         /* memory trail before the choice */
  uint32_t deviations; /* on the way there (scout.h) */
  struct sum sum;      /* on arrival */
  enum walk_way way;
};

/* The witness's write-backs of a line: of those that are possible the newest one, for each domain. */
struct walk_witness {
  const struct line *line; /* NULL: the line is not in doubt */
  uint32_t newest[DOMAINS_MAX];
};

struct walk {
  const struct walk_user *user;
  struct memory *memory;
  struct history *history;
  bool each_store; /* two neighbouring stores of one value are two answers, not one */
  /* While fewer domains have failed, a load writes back up to the store of a live domain that it reads. */
  int fetches_below;
  /* If they are one: whether the second store had been made at all is told apart. */
  bool each_cut;
  /* And whether the newest one had certainly been written back, if it matters that its step was made once that moment
   * has come.  NULL: it never does. */
  bool (*matters)(int domain, uint32_t step, uint32_t moment);
  bool skims; /* the user does not have to be told of each load */
  int level;  /* failures before the execution */
  /* A look ahead (scout.h): at most deviations_max loads may read an older store, */
  bool limited;
  uint32_t deviations_max, deviations; /* and so many did */
  /* An execution below a branch WALK_ALL has to be described.  It is looked for further and further down, so that it is
   * not looked for at every load on the way: so many loads are passed before answers are taken together again. */
  size_t plain, stride;
  bool late;    /* memoisation has begun in the middle of the walk under way */
  bool left;    /* the walk under way begins again from its start */
  bool recalls; /* walks are memoised: what comes of a node depends on memory alone, see is_whole */
  struct recall recall;
  VEC(struct walk_branch) branches;
  size_t depth; /* length of the choices before the walk under way */
  bool divides; /* branches may be WALK_ALL */
  /* Nodes that hold a state, to which many paths may lead, are memoised (WALK_ONLY). */
  bool stops_over;
  size_t all; /* how many of the branches are WALK_ALL */
  /* scratch: lines that are read before all answers to a load meet again. */
  VEC(struct line *) between;
  VEC(struct walk_witness) witness; /* by number of line */
  /* The program was run, and the walk has not come to its end yet. */
  bool awaited;
  candidate_list raw;      /* answers to a load before equal ones are taken together; */
  VEC(uint32_t) answer_of; /* by index in raw: the answer it became a part of */
  struct sum sum;          /* the checksum that is under way */
  bool left_out; /* of the last load with several answers some are not tried for that reason; */
  bool left_some_out; /* of any */
};

/* Give back a trie that was walked. */
void walk_drop(struct walk *w, struct memo_node *root);

/* Explore everything from that root with memory as it is; leaves all as it was. */
void walk_explore(struct walk *w, struct memo_node *root);

/* A branch at n, before its first alternative is taken.  Called by the user's follow for nodes that are no loads. */
void walk_branch(struct walk *w, struct memo_node *n);

/* Append the answers to a load to history.candidates, one for each value that has to be told apart; returns the index
 * of the first. */
size_t walk_answers(struct walk *w, struct line *l, int offset, int size);

/* The same for that load, without those that a checksum leaves out.  s: the one that is under way; unless there is one
 * answer only (whether such a load is seen at all depends on what the run knows already), the load becomes a part of it. */
size_t walk_answers_to(struct walk *w, const struct memo_load *x, struct sum *s);

#endif
