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
  MEMO_LOAD,       /* one that has had several answers, or will not be in a chain */
  MEMO_CHAIN,      /* loads with one answer each; the value is 0 */
  MEMO_FACT,
  MEMO_SCHEDULE, /* which of `options` happened next; the value is its number */
  MEMO_CHECKSUM, /* a checksum was validated; the value is 1 if it was right */
  MEMO_MERGE,    /* none: what was read is forgotten, to become an observation again */
  MEMO_END,      /* result is the caller's number for how the execution ended */
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
  uintptr_t code; /* without a site: who reads */
  void *line;     /* the line it reads, looked up once by the search */
  uint64_t value; /* in a chain: what it has read */
  uint8_t size;
  bool ignored;     /* between tidemark_ignore_begin and _end */
  bool in_checksum; /* part of a checksum validation */
  bool peeks; /* of the newest bytes that are not lost, for the runtime's own use (door.peek) */
};

/* The lines of some loads, each once, and how they were when all these loads were last found to have one
 * answer, the one they had before (the walk's). */
#define MEMO_NEWEST 4
enum memo_together { MEMO_UNKNOWN, MEMO_TOGETHER, MEMO_ONE_BY_ONE };

struct memo_lines {
  bool certain; /* they were, and then: */
  /* The search's: may somebody who watches be told of all loads together, by the newest stores they read? */
  enum memo_together together;
  uint32_t newest[MEMO_NEWEST];
  uint32_t failed;
  uint32_t count;
  struct memo_line {
    void *line;
    uint64_t stamp;
  } at[];
};

/* Loads in a row that have had one answer each, wherever they were walked so far: loads, or shorter
 * chains.  Most executions read most of memory as others did: equal chains are kept once. */
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
  bool explored; /* for good: all failures in it and, if it is the end, its result (the search's) */
  uint32_t events_begin, events_end; /* in the search's event list */
  uint32_t result;
  struct memo_node *parent;
  uint64_t parent_value;
  struct memo_edge *edges;
  union {
    struct memo_load load; /* MEMO_LOAD; MEMO_FACT: its address is an enum door_fact */
    struct {
      const struct memo_chain *chain; /* MEMO_CHAIN: of its loads, */
      uint32_t begin, end;            /* these */
    };
    struct {
      uint64_t options_hash;     /* MEMO_SCHEDULE */
      struct operation *options; /* option_count of them */
      uint32_t option_count;
      uint32_t only;               /* 1 + the one option that has to be tried; 0: all of them */
      uint32_t runs_after_failure; /* there were so many when it was first come to */
      bool
          is_end; /* by traces: nobody goes on who has looked in vain; the options wait for locks */
    };
    struct {
      uint32_t *also; /* MEMO_END: results of threads that failed later, also_count of them */
      uint32_t also_count;
      uint32_t waiting_count;
      struct operation *waiting; /* what threads waited to do, so many, if nobody could go on */
    };
  };
  struct memo_node *after_invalid; /* where all validations that began here and failed go on */
  struct search_state *state;      /* MEMO_LOAD: as the execution arrived there (the search's) */
  struct recall_entries *recalled; /* MEMO_LOAD: what came of it (the walk's) */
};

struct memo_node *memo_create(void);          /* a root, not yet executed */
size_t memo_count(void);                      /* nodes that there are */
void memo_state(void **state, size_t *bytes); /* what a run changes, for --isolate */

/* The node behind the edge for `value`, created unexecuted if it is new. */
struct memo_node *memo_follow(struct memo_node *n, uint64_t value);

/* The same if there is one; otherwise NULL. */
struct memo_node *memo_known(const struct memo_node *n, uint64_t value);

/* Give back a whole trie, or what lies behind a node; gone, unless it is NULL, is told of each node
 * right before. */
typedef void memo_gone(void *context, struct memo_node *n);
void memo_drop(struct memo_node *root, memo_gone *gone, void *context);

/* Let the edge for `value` lead to a node that exists already. */
void memo_join(struct memo_node *n, uint64_t value, struct memo_node *to);

struct memo_chains {
  struct memo_chain **buckets;
  size_t bucket_count, count;
};

/* The chain of these loads, or of these chains of loads, which are copied. */
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

/* Load number i of the chain n becomes a node of its own; returns it. */
struct memo_node *memo_split(struct memo_node *n, uint32_t i);

/* Forget everything behind the edge for `value`; pre: nobody comes back there, no joins. */
void memo_cut(struct memo_node *n, uint64_t value);

/* Observations from the root to n, oldest first; each with the answer taken.  Where several ways lead
 * to a node it is the first one.  If stop, which may be NULL, says so of a node on it, the newest such
 * node is where the path begins, and the result; otherwise it is NULL. */
struct memo_step {
  struct memo_node *node;
  uint64_t value;
};
typedef VEC(struct memo_step) memo_path;
struct memo_node *memo_path_to(struct memo_node *n, bool (*stop)(const struct memo_node *n),
                               memo_path *out);

#endif
