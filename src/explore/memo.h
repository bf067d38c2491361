/* What executions of one command have observed so far: a trie.
 *
 * The program is a deterministic function of what it observes: the bytes of watched memory that an
 * earlier execution may have left there, the facts the checker tells it (how many failures there
 * were), and which thread the checker lets go on.  Each observation is a node, each answer an
 * edge; events between two observations belong to the node that follows them.
 *
 *      (start) --events--> load x --0--> load y --0--> end: clean
 *                                 \--1--> end: assertion failed
 *
 * A path that was executed once need not be executed again, at whatever failure point it becomes
 * possible; the search walks it here instead.  Host memory, kept for the whole search. */
#ifndef EXPLORE_MEMO_H
#define EXPLORE_MEMO_H

#include "event/event.h"
#include "event/operation.h"
#include <stdint.h>

enum memo_kind {
  MEMO_UNEXECUTED, /* nobody has been here yet: run the program to find out */
  MEMO_LOAD,       /* address, size <= 8, within one cache line */
  MEMO_FACT,       /* address is an enum memo_fact */
  MEMO_SCHEDULE,   /* which of `options` happened next; the value is its number */
  MEMO_CHECKSUM,   /* a checksum was validated; the value is 1 if it was right */
  MEMO_END,        /* result is the caller's number for how the execution ended */
};

struct memo_edge {
  uint64_t value;
  struct memo_node *to;
  struct memo_edge *next;
};

struct memo_node {
  uint8_t kind, size;
  uint32_t events_begin, events_end; /* in the search's event list */
  uintptr_t address;
  const struct abi_site *site;
  uintptr_t code; /* without a site: who reads */
  void *line;     /* MEMO_LOAD: the line it reads, looked up once by the search */
  struct memo_node *parent;
  uint64_t parent_value;
  struct memo_edge *edges;
  struct memo_node *after_invalid; /* where all validations that began here and failed go on */
  struct operation *options;       /* MEMO_SCHEDULE: option_count of them */
  uint32_t option_count;
  uint32_t only;               /* 1 + the one option that has to be tried; 0: all of them */
  uint32_t runs_after_failure; /* MEMO_SCHEDULE: there were so many when it was first come to */
  uint32_t result;
  uint32_t *also; /* MEMO_END: results of threads that failed later, also_count of them */
  uint32_t also_count;
  bool ignored;     /* MEMO_LOAD: between tidemark_ignore_begin and _end */
  bool in_checksum; /* MEMO_LOAD: part of a checksum validation */
  bool explored; /* for good: all failures in it and, if it is the end, its result (the search's) */
};

struct memo_node *memo_create(void);          /* a root, not yet executed */
size_t memo_count(void);                      /* nodes that there are */
void memo_state(void **state, size_t *bytes); /* what a run changes, for --isolate */

/* The node behind the edge for `value`, created unexecuted if it is new. */
struct memo_node *memo_follow(struct memo_node *n, uint64_t value);

/* Give back a whole trie, or what lies behind a node; ended, unless it is NULL, is told the result of
 * each of its ends. */
void memo_drop(struct memo_node *root, void (*ended)(uint32_t result));

/* Let the edge for `value` lead to a node that exists already. */
void memo_join(struct memo_node *n, uint64_t value, struct memo_node *to);

/* Forget everything behind the edge for `value`; pre: nobody comes back there, no joins. */
void memo_cut(struct memo_node *n, uint64_t value);

/* Observations from the root to n, oldest first; each with the answer taken. */
struct memo_step {
  struct memo_node *node;
  uint64_t value;
};
typedef VEC(struct memo_step) memo_path;
void memo_path_to(struct memo_node *n, memo_path *out);

#endif
