/* The search over failures and over what loads may read after them (pm model).
 *
 * search_run walks, for every failure point of every execution, the trie of what later executions
 * observed (explore/memo.h) with that point's constraints (memory/line.h), and has the program run
 * only where the trie has no answer yet.  During such a run the program's loads of unknown bytes
 * come back here through search_observe_load.
 *
 * Level = number of failures before an execution: level 0 is the run before any failure, its stores
 * are domain 0 of memory/, and so on. */
#ifndef RUNTIME_SEARCH_H
#define RUNTIME_SEARCH_H

#include "event/event.h"
#include "explore/choice.h"
#include "explore/memo.h"
#include "memory/line.h"
#include "runtime/space.h"
#include "runtime/stop.h"

/* Facts a program may ask for that depend on the failures before it. */
enum memo_fact { FACT_FAILURES };

/* A load along the current path that could have been answered in several ways. */
struct search_read {
  struct memo_node *node;
  int level;
  size_t mark;                  /* memory trail before the choice */
  size_t first, count;          /* its candidates in search.candidates */
  uint32_t taken;
  uint32_t failure_points_seen; /* of this level before the load */
};

/* A failure along the current path. */
struct search_failure {
  uint32_t event; /* the FAILURE_POINT event */
  uint32_t which;
};

struct search {
  int failures_max;
  bool share;       /* false: run the program for every execution (--no-share) */
  bool count_eager; /* also count the states an eager checker would explore */
  struct choices choices;
  struct memory memory;
  event_list events;
  struct memo_node *initial, *recovery;
  candidate_list candidates;
  VEC(struct search_read) reads;
  VEC(struct search_failure) failures;
  uint64_t executions, program_runs, failure_points;

  /* Provided by the session. */
  uint32_t (*execute)(int level);                  /* run the program; a number for its result */
  void (*finished)(struct search *s, uint32_t result); /* an execution is covered */
  bool (*stopped)(struct search *s);               /* a budget is used up or the user said stop */
  void (*eager)(struct search *s);                 /* at each failure point, if count_eager */

  /* The program run under way. */
  int level;
  memo_path path;
  size_t cursor;
  struct memo_node *at; /* where new observations go */
  struct memo_node *checksum; /* node at which the validation under way began, or NULL */
  uint32_t events_mark;
};

extern struct search search;

void search_run(void);

/* The value of unknown bytes; pre: size <= 8, within one 8-byte word, no byte known. */
uint64_t search_observe_load(struct space_line *l, uintptr_t address, int size,
                             const struct abi_site *site);
uint64_t search_observe_fact(enum memo_fact fact, uint64_t value);

/* A checksum validation.  The program throws away what it read if the checksum is wrong, so all
 * wrong ones go on alike and the program is run only once for that. */
void search_checksum_begin(void);
void search_checksum_end(bool valid);

#endif
