/* How a unit of a search over schedules ends (session/units.h). */
#ifndef SEARCH_UNIT_END_H
#define SEARCH_UNIT_END_H

enum unit_end {
  UNIT_DONE,
  UNIT_BROKEN,    /* it has relied on what does not hold: the search must start again */
  UNIT_PARTIAL,   /* somebody said stop in the middle of an execution */
  UNIT_UNDIVIDED, /* such a search cannot be divided after all */
};

#endif
