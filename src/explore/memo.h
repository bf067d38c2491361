/* A trie of observations: what executions of one command have read and done so far, so that it is not run again.
 *
 * The program is a deterministic function of what it observes: the bytes of watched memory that an earlier execution
 * may have left there, the facts the checker tells it (how many failures there were), and which thread the checker lets
 * go on. Each observation is a node, each answer an edge; events between two observations belong to the node that
 * follows them.
 *
 *      (start) --events--> load x --0--> load y --0--> end: clean
 *                                 \--1--> end: assertion failed
 *
 * A path that was executed once need not be executed again, at whatever failure point it becomes possible:
 * search/walk.h walks it here instead, search/record.h adds what runs observe.  State merging (search/merge.h) makes a
 * directed graph without cycles of the trie; `parent` is the first way that led to a node.  Host memory, kept for the
 * whole search. */
#ifndef EXPLORE_MEMO_H
#define EXPLORE_MEMO_H

#include "event/event.h"
#include "event/operation.h"
#include <stdint.h>

enum memo_kind {
  MEMO_UNEXECUTED, /* nobody has been here yet: run the program to find out */
  MEMO_LOAD,       /* a load that has had several answers, or holds a state */
  MEMO_CHAIN,      /* loads with one answer each; the value is 0 */
  MEMO_FACT,
  MEMO_SCHEDULE, /* which of `options` happened next; the value is its number */
  MEMO_CHECKSUM, /* a checksum was validated; the value is 1 if it was right */
  /* No observation: the state was taken, and what was read is forgotten (search/merge.h). */
  MEMO_MERGE,
  MEMO_END, /* result is the caller's number for how the execution ended */
};

struct memo_edge {
  uint64_t value;
  struct memo_node *to;
  struct memo_edge *next;
};

/* A load of at most 8 bytes, within one cache line. */
struct memo_load {
  uintptr_t address;
  const struct abi_site *site;
  uintptr_t code; /* code address, if there is no site */
  void *line;     /* the line it reads (struct line), looked up once by the search */
  uint64_t value; /* in a chain: what it has read */
  uint8_t size;
  bool ignored;     /* between tidemark_ignore_begin and _end */
  bool in_checksum; /* part of a checksum validation */
  bool summed;      /* goes into a checksum, and nowhere else (search/sum.h) */
  bool
      holds; /* no load: does memory say that the bytes are those in `code`, whatever was lost?  1 or 0 */
  bool peeks; /* by the runtime for its own use (door.peek): the newest bytes that are not lost */
};

/* The lines of a chain's loads, each once.  A cache of the walk: how the lines were when all these loads were last
 * found to have the one answer that they had before. */
#define MEMO_NEWEST 4
enum memo_together { MEMO_UNKNOWN, MEMO_TOGETHER, MEMO_ONE_BY_ONE };

struct memo_lines {
  bool certain; /* they were found so, and what follows holds for that time */
  /* May analyses be told of all loads together, by the newest stores they read, one for each thread (newest)? */
  enum memo_together together;
  uint32_t newest[MEMO_NEWEST];
  /* cxl: do loads of these lines tell the race analysis something, in the walk with that number? */
  uint32_t walk;
  bool tells;
  uint32_t failed; /* memory.failed */
  uint32_t count;
  struct memo_line {
    void *line;
    uint64_t stamp;
  } at[];
};

/* Loads in a row that have had one answer each, wherever they were walked so far; or a list of shorter chains.  Most
 * executions read most of memory as others did, so chains are hash-consed: equal ones are kept once. */
struct memo_chain {
  struct memo_chain *next; /* with the same hash */
  uint64_t hash;
  uint32_t length; /* loads in all */
  uint32_t parts;  /* 0: it has the loads itself */
  union {
    const struct memo_load *loads;
    const struct memo_chain *const *part;
  };
  struct memo_lines *lines; /* of its loads, if it has them itself */
};

struct memo_node {
  uint8_t kind;
  /* By the search, for good: all failures in its events and, if it is an end, its result. */
  bool explored;
  bool stateless; /* a load at which no state could be taken (search/merge.h) */
  bool
      stops_over; /* a load with a state: what comes of it is memoised although it has one answer */
  uint32_t events_begin, events_end; /* in the search's event list */
  uint32_t result;
  struct memo_node *parent;
  uint64_t parent_value; /* the answer there that leads here */
  struct memo_edge *edges;
  union {
    struct memo_load load; /* MEMO_LOAD; MEMO_FACT: its address is an enum door_fact */
    struct {
      const struct memo_chain *chain; /* MEMO_CHAIN: of its loads, */
      uint32_t begin, end;            /* these */
    };
    struct {
      /* MEMO_SCHEDULE: to recognise the options when they are repeated. */
      uint64_t options_hash;
      struct operation *options; /* option_count of them */
      uint32_t option_count;
      uint32_t only;               /* 1 + the one option that has to be tried; 0: all of them */
      uint32_t runs_after_failure; /* search.runs_after_failure when it was recorded */
      /* By traces: the execution is given up here, because only waiting loops could go on; the options are what threads
       * wait for. */
      bool is_end;
      bool placed;           /* by traces: the state there was asked for */
      uint32_t place, epoch; /* its number (0: none), and trace_states.epoch */
    };
    struct {
      /* MEMO_END: results of threads that failed after the first, also_count of them. */
      uint32_t *also;
      uint32_t also_count;
      uint32_t waiting_count;
      /* What threads waited to do, waiting_count of them, if nobody could go on. */
      struct operation *waiting;
    };
  };
  /* Where all checksum validations that began here and failed go on. */
  struct memo_node *after_invalid;
  struct search_state *state;      /* MEMO_LOAD: the state before it (search/merge.h), or NULL */
  struct recall_entries *recalled; /* MEMO_LOAD: what came of it (search/recall.h), or NULL */
};

struct memo_node *memo_create(void);          /* a root, not yet executed */
size_t memo_count(void);                      /* nodes that there are */
void memo_state(void **state, size_t *bytes); /* what a run changes, for --isolate */

/* The node behind the edge for `value`, created unexecuted if it is new. */
struct memo_node *memo_follow(struct memo_node *n, uint64_t value);

/* The node behind that edge; NULL: there is none. */
struct memo_node *memo_known(const struct memo_node *n, uint64_t value);

/* Give back a whole trie, or what lies behind a node; gone, unless it is NULL, is called with each node right
 * before. */
typedef void memo_gone(void *context, struct memo_node *n);
void memo_drop(struct memo_node *root, memo_gone *gone, void *context);

/* Add an edge for `value` to a node that exists already. */
void memo_join(struct memo_node *n, uint64_t value, struct memo_node *to);

/* What follows the load n is put aside, and n becomes unexecuted: it will be run again, and observed in another way.
 * Returns a node that has what n had, which is owned by nobody until one of these is called.  keep: n is a MEMO_MERGE
 * now; what was put aside is not on the way any more, but others may have joined parts of it.  take_back: it
 * is as it was; what was observed since is given back. */
#define MEMO_ASIDE 1 /* value of the edge to it; that of a MEMO_MERGE is 0 */
struct memo_node *memo_put_aside(struct memo_node *n);
void memo_keep_aside(struct memo_node *n, struct memo_node *aside);
void memo_take_back(struct memo_node *n, struct memo_node *aside, memo_gone *gone, void *context);

struct memo_chains {
  struct memo_chain **buckets;
  size_t bucket_count, count;
};

/* The chain of these loads, which are copied, or of these shorter chains. */
const struct memo_chain *memo_chain_of_loads(struct memo_chains *c, const struct memo_load *loads,
                                             size_t count);
const struct memo_chain *memo_chain_of_chains(struct memo_chains *c,
                                              const struct memo_chain *const *part, size_t count);

/* The part with load number i, and the number of the part's first load. */
static inline const struct memo_chain *memo_chain_part(const struct memo_chain *c, uint32_t i,
                                                       uint32_t *first) {
  *first = 0;
  if (!c->parts)
    return c;
  const struct memo_chain *const *part = c->part;
  for (; i - *first >= (*part)->length; part++)
    *first += (*part)->length;
  return *part;
}

static inline const struct memo_load *memo_chain_load(const struct memo_chain *c, uint32_t i) {
  uint32_t first;
  const struct memo_chain *part = memo_chain_part(c, i, &first);
  return &part->loads[i - first];
}

void memo_free_chains(struct memo_chains *c); /* pre: no node has one */

/* Load number i of the chain n becomes a node of its own, because it has another answer; returns it.  If it is the
 * first load that is n itself. */
struct memo_node *memo_split(struct memo_node *n, uint32_t i);

/* Give back everything behind the edge for `value`.  pre: no other node leads there, and no node there has a state or
 * entries. */
void memo_cut(struct memo_node *n, uint64_t value);

/* The path to n: observations from the root, oldest first, each with the answer taken.  Where several ways lead to a
 * node it is the first one.  If stop, which may be NULL, says so of a node on it, the path begins at the newest such
 * node, which is the result; otherwise the result is NULL. */
struct memo_step {
  struct memo_node *node;
  uint64_t value;
};
typedef VEC(struct memo_step) memo_path;
struct memo_node *memo_path_to(struct memo_node *n, bool (*stop)(const struct memo_node *n),
                               memo_path *out);

#endif
