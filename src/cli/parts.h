/* The parts of a search: what is to be done, who does it, and what came out.
 *
 * A part is a range of executions between two positions (explore/token.h).  All of them together are
 * the search, or a shard of it.  Parts are divided when somebody has nothing to do; those that are
 * done grow together, with their results (finding/results_merge.h). */
#ifndef CLI_PARTS_H
#define CLI_PARTS_H

#include "base/vec.h"
#include "finding/finding.h"

#define PARTS_NOBODY (-1)

enum part_state {
  PART_OPEN,
  PART_TAKEN,
  PART_DONE,
  PART_ELSEWHERE, /* another shard's */
  PART_UNWANTED,  /* units.h: nobody has found anything there yet */
  PART_WAITING,   /* units.h: it is not known yet which shard's it will be */
};

struct part {
  char *from, *to; /* to NULL: the end */
  enum part_state state;
  int worker; /* PART_TAKEN: by whom */
  struct results results;
  uint32_t put_off; /* so often because it takes long */
  bool partial;     /* open, with results of the beginning, which will be searched again */
  uint64_t number;  /* units.h: its own, among those that were found here, */
  uint64_t key;     /* the same for all who find it, */
  uint32_t level;   /* how often others were divided for it to be there, */
  char *learnt;     /* what whoever began it has learnt, */
  bool large;       /* it is divided as soon as it can be, */
  uint64_t
      covered; /* what follows its first execution, by hash, is a part of a unit before it (0: it is not), */
  uint64_t only;        /* it is its first so many runs (0: all), */
  uint64_t expected;    /* which these are, */
  char *spent;          /* what was counted as work before it, in the same unit, */
  VEC(uint32_t) prefix; /* the nodes it begins with, and */
  uint32_t node;        /* PART_UNWANTED: of which it would be the other side */
};

struct units;

struct parts {
  VEC(struct part) list; /* in order, without gaps */
  bool sharded;          /* parts_keep has left some to others */
  struct units *units;   /* they are units (units.h); NULL: ranges */
};

void parts_init(struct parts *p, const char *from, const char *to);
void parts_free(struct parts *p);

/* The first part that nobody has, of those that were put off least often; or NULL.  take: pre: the worker has none. */
const struct part *parts_next(const struct parts *p);
const struct part *parts_take(struct parts *p, int worker);
const struct part *parts_of(const struct parts *p, int worker); /* what it has, or NULL */
bool parts_open(const struct parts *p);                         /* is there one that nobody has? */
size_t parts_find(const struct parts *p, int worker);           /* its number, or the length */
bool parts_all_done(const struct parts *p);

/* From that position on, the worker's part is somebody else's.  False: it does not lie in it. */
bool parts_split(struct parts *p, int worker, const char *at);

/* The worker has searched its part up to that position (NULL: all of it).  The rest stays with it
 * (goes_on) or is open.  Takes over the results.  False: the position does not lie in it. */
bool parts_done(struct parts *p, int worker, const char *at, bool goes_on, struct results *r);

/* What begins at that position, which nobody has, takes long: others come first. */
void parts_put_off(struct parts *p, const char *at);
/* So many failures that were put off are not done; *others: nor is something else. */
size_t parts_count_put_off(const struct parts *p, bool *others);

/* The same as parts_done for a range that was searched earlier; it must not be done or taken already. */
bool parts_mark(struct parts *p, const char *from, const char *to, struct results *r);

void parts_return(struct parts *p, int worker); /* it is gone: its part is open */

/* Divide all at these positions, one a line, and keep every shards-th piece, from number shard - 1 on.
 * pre: all is open. */
void parts_keep(struct parts *p, const char *positions, int shard, int shards);

/* Make room for another one, as number i. */
struct part *parts_insert(struct parts *p, size_t i);
void parts_remove(struct parts *p, size_t i);
/* Number i is done.  Takes over the results.  And let those that are done grow together. */
void parts_set_done(struct parts *p, size_t i, struct results *r);
void parts_grow_together(struct parts *p);

/* Everything that is done, joined; complete if that is all.  Leaves nothing behind. */
void parts_collect(struct parts *p, struct results *out);

#endif
