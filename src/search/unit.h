/* A part of a search over schedules, as the search sees it (session/units.h). */
#ifndef SEARCH_UNIT_H
#define SEARCH_UNIT_H

#include <stdbool.h>

struct unit {
  bool whole;   /* it is all of the search, from its beginning, so nobody else relies on anything */
  bool covered; /* what follows its first execution is left to somebody else */
};

enum unit_end {
  UNIT_DONE,
  UNIT_BROKEN,    /* it has relied on what does not hold: the search must start again */
  UNIT_PARTIAL,   /* somebody said stop in the middle of an execution */
  UNIT_UNDIVIDED, /* such a search cannot be divided after all */
};

/* How a search is divided, if it is not by the reduction (explore/dpor_unit.h), whose words these are:
 * begin with the unit; put down a node with its other side; and the rest. */
struct str;
struct unit_form {
  bool (*load)(const char *unit);
  bool (*divide)(struct str *lines);
  void (*tell_rest)(struct str *out);
};

#endif
