/* Parts of a search over schedules: units (explore/dpor_unit.h), which are found on the way.
 *
 * A unit that turned out large comes back divided: its prefix has grown by some nodes, the rest of it goes on behind
 * them, and each node has another side, where its event is barred.  That of the last one is a unit
 * at once, the others if somebody finds out that there is something in it.
 *
 *      what is done, the rest, other side of the last node, ..., other side of the first one
 *
 * Where what follows one execution takes long, whoever explores it gives the rest of the unit away at once: a unit that
 * begins with the same execution, and leaves out what follows it.  Or the unit itself comes again, and leaves out what
 * follows its first executions (session/units.h).
 *
 * So parts have one order, and which they are does not depend on who explored them when.  What all of them rely on
 * is kept here, too (explore/sharing.h). */
#ifndef CLI_UNITS_H
#define CLI_UNITS_H

#include "base/str.h"
#include "cli/parts.h"

/* pre: there is nothing.  All of the search is one unit. */
void units_init(struct parts *p);
void units_free(struct parts *p);

/* Only the shard-th of so many shares.  Units that were divided seldom are explored by all, until there are enough
 * others; these go round.  What somebody finds that nobody knew of then is explored by whoever finds it. */
void units_shard(struct parts *p, int shard, int shards);

/* What a unit is, the same for all shards; 0: there is none with that number.  And how often the search began again. */
uint64_t units_key(const struct parts *p, uint64_t number);
uint64_t units_again(const struct parts *p);

/* To put shards together: what one of them knew; and that nobody has relied on anything yet. */
void units_hear(struct parts *p, const char *body);
void units_forget_reliance(struct parts *p);

/* What a worker is told about it. */
void units_describe(const struct parts *p, const struct part *x, struct str *out);

enum units_news {
  UNITS_GOOD,
  UNITS_UNKNOWN, /* there is no such unit any more */
  UNITS_AGAIN,   /* the search has relied on what does not hold, and begins again: all is open */
  UNITS_BAD,     /* that cannot be read: *why says why */
};

struct units_said {
  uint64_t executions;
  bool found;            /* there are findings */
  struct results failed; /* if it has an error */
};

/* What has become of the unit with that number: "done", "divided", "stopped", "full", "partial", "going"
 * or "broken" (finding/job.h). */
enum units_news units_take(struct parts *p, uint64_t number, const char *what, const char *body,
                           struct units_said *said, struct str *why);

#endif
