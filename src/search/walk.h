/* Walking what is known about executions after a failure, and having the program run where nothing
 * is known.
 *
 * A walk follows a trie of observations (explore/memo.h) from its root to an end with what memory/
 * says about each load, comes back to the newest branch, takes its next alternative, and so on.
 * What else there is besides loads, and what happens on the way, is up to its user: struct
 * walk_user.  Users are the pm search (search.h) and the survivors of the cxl search (survivors.h).
 *
 * Where all answers to a load lead to the same place (by way of a MEMO_MERGE) the walk goes there with the
 * line divided (memory_divide) instead of branching: a line that is read a second time would otherwise
 * keep executions apart that are the same.  What comes of it is counted first and told afterwards; if
 * somebody wants to see one of these executions, the answers are walked one after the other.  That may take
 * long: an end that is news is shown by one execution at once, and requests are answered in between.
 *
 * A walk may begin while another one of the same struct is under way (a failure in an execution
 * after a failure): each comes back to the branches it has made itself.  Host memory. */
#ifndef SEARCH_WALK_H
#define SEARCH_WALK_H

#include "explore/memo.h"
#include "memory/line.h"
#include "search/history.h"
#include "search/recall.h"

struct walk;

struct walk_user {
  /* Run the program along the path to n, which nobody has executed, and beyond; or run it again. */
  void (*run)(struct walk *w, struct memo_node *n);
  bool (*runs_again)(struct walk *w, struct memo_node *n); /* although it is known how this ends? */

  void (*arrive)(struct walk *w, struct memo_node *n); /* apply the events before the observation */
  void (*ended)(struct walk *w, struct memo_node *n);  /* an execution is covered */
  /* So many executions are, which end as others did.  False: they have to be walked one by one. */
  bool (*take)(struct walk *w, const struct tally *t);
  bool (*over)(struct walk *w); /* leave it at that */
  /* Where all answers are taken.  Is an end like that news, and of what kind: here is an execution that shows it, to
   * be covered later.  Shall the search end at its next position?  May be NULL where w->divides is not set. */
  bool (*is_news)(struct walk *w, const struct memo_node *n);
  void (*shown)(struct walk *w, const struct memo_node *n);
  bool (*ending)(struct walk *w);
  /* If recalls: does what comes of the place where the walk is depend on memory alone, and not on what was
   * tried in other orders?  May be NULL. */
  bool (*is_whole)(struct walk *w);
  /* Likewise: a number for what its user knows besides memory that matters for what comes.  May be NULL. */
  uint32_t (*besides)(struct walk *w);

  /* A load has several answers, in w->raw; choice is the one between them, NULL if their values are
   * the same.  It takes this one, or (NULL) the only one it has.  May be NULL. */
  void (*doubt)(struct walk *w, const struct memo_load *l, struct choice *choice);
  void (*answer)(struct walk *w, const struct memo_load *l, const struct candidate *taken,
                 uint64_t value);
  /* If skims: so many loads in a row have the one answer that they had before.  May he be told like that (NULL:
   * he may), of this part of a chain? */
  bool (*may_skim)(struct walk *w, const struct memo_chain *part);
  void (*skimmed)(struct walk *w, const struct memo_load *l, uint32_t count);

  /* Any other observation.  NULL: there is no way to go on from here.  next: the following
   * alternative of the newest branch; NULL: none, and its choice is closed. */
  struct memo_node *(*follow)(struct walk *w, struct memo_node *n);
  struct memo_node *(*next)(struct walk *w, struct memo_node *n);

  void (*gone)(struct walk *w, struct memo_node *n); /* it is given back */

  /* What goes back besides memory and the reads of the history, as a stack: remember it; it is as
   * at the newest mark again; that mark is not needed any more. */
  void (*mark)(struct walk *w);
  void (*back)(struct walk *w);
  void (*drop)(struct walk *w);
};

/* How the alternatives of a branch are tried. */
enum walk_way {
  WALK_CHOICE, /* one after the other, each a choice */
  WALK_QUIET,  /* likewise, below one that takes all: nobody is told */
  WALK_ONLY,   /* there is one: only what comes of it is to be remembered */
  WALK_ALL,    /* all at once: they lead to the same place, and which it was stays open */
};

/* An observation along the current path that may have another answer: what is needed to try it.  A load's
 * candidates are in the history, if they are tried one after the other. */
struct walk_branch {
  struct memo_node *node;
  size_t mark;         /* memory trail before the choice */
  uint32_t deviations; /* on the way there */
  enum walk_way way;
};

/* Of a line: the newest write-back of each domain that is possible, if it is part of the point. */
struct walk_point {
  const struct line *line;
  uint32_t newest[DOMAINS_MAX];
};

struct walk {
  const struct walk_user *user;
  struct memory *memory;
  struct history *history;
  bool each_store; /* two stores of one value are two answers, also if they are neighbours */
  bool each_cut;   /* whether the second of such stores had been made at all is told apart */
  bool skims;      /* nobody wants to be told of each load */
  int level;       /* failures before the execution */
  bool limited;    /* a look ahead (scout.h): at most so many loads may read an older store, */
  uint32_t deviations_max, deviations; /* and so many did */
  bool recalls; /* what comes of a node depends on memory alone, and nobody watches paths */
  struct recall recall;
  VEC(struct walk_branch) branches;
  bool divides;               /* where answers make no difference none is chosen */
  bool stops_over;            /* what comes of a place to which many ways may lead is remembered */
  size_t all;                 /* so many of them take all alternatives at once */
  VEC(struct line *) between; /* scratch: lines that are read on the way to where these meet */
  VEC(struct walk_point)
  point;                   /* by numbers of lines: what memory is in the execution that is shown */
  bool awaited;            /* the program was run, and the walk has not come to its end */
  candidate_list raw;      /* answers to a load before equal ones are taken together, and */
  VEC(uint32_t) answer_of; /* with which one each was */
};

/* Give back a trie that was walked. */
void walk_drop(struct walk *w, struct memo_node *root);

/* Explore everything from that root with memory as it is; leaves all as it was. */
void walk_explore(struct walk *w, struct memo_node *root);

/* A branch of the user's own: follow has opened a choice at n. */
void walk_branch(struct walk *w, struct memo_node *n);

/* The answers to a load go to the end of history.candidates, as many as there are values to tell
 * apart; returns the index of the first. */
size_t walk_answers(struct walk *w, struct line *l, int offset, int size);

#endif
