/* Parts of a search over schedules: units (explore/dpor_unit.h), which are found on the way.
 *
 * A unit that turned out large comes back divided: its prefix has grown by some nodes, the rest of it goes on behind
 * them, and each node has another side, where its event is barred.  That of the last one is a unit
 * at once, the others if somebody finds out that there is something in it.
 *
 *      what is done, the rest, other side of the last node, ..., other side of the first one
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

/* What has become of the unit with that number: "done", "divided", "stopped", "full", "partial"
 * or "broken" (finding/job.h). */
enum units_news units_take(struct parts *p, uint64_t number, const char *what, const char *body,
                           struct units_said *said, struct str *why);

#endif
