/* A part of a search over schedules, which one worker explores (session/units.h): the interface between the session,
 * which gets and returns units, and the search. */
#ifndef SEARCH_UNIT_H
#define SEARCH_UNIT_H

#include <stdbool.h>
#include <stdint.h>

struct unit {
  /* It is all of the search, from its beginning: nobody else relies on what it learns. */
  bool whole;
  bool covered; /* failures in its first execution are left to somebody else */
};

enum unit_end {
  UNIT_DONE,
  UNIT_BROKEN,    /* it has relied on something that does not hold: the search must start again */
  UNIT_PARTIAL,   /* it was stopped in the middle of an execution */
  UNIT_UNDIVIDED, /* this search cannot be divided after all */
};

/* How units of a search are written, if not by the reduction: these stand for dpor_load, dpor_divide and dpor_tell_rest
 * of explore/dpor_unit.h. */
struct str;
struct unit_form {
  bool (*load)(const char *unit);
  bool (*divide)(struct str *lines);
  void (*tell_rest)(struct str *out);
  void (*start_over)(
      void); /* the search begins again; NULL: nothing is kept from one unit to the next */
};

#endif
