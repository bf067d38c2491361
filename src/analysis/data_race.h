/* Data races as C11 and C++11 define them: two accesses to a byte by different threads, one of them a
 * store, one of them not atomic, and neither happens before the other.
 *
 * What happens before what: the order of each thread; creating and joining threads; releasing and
 * acquiring locks; atomic stores that release and loads that acquire, with their fences and release
 * sequences, as the memory orders in the source say.  One sequentially consistent execution is looked
 * at; a program has a race if one of its executions has. */
#ifndef ANALYSIS_DATA_RACE_H
#define ANALYSIS_DATA_RACE_H

#include "event/operation.h"
#include <stddef.h>

/* Positions in the execution. */
struct data_race_report {
  uint32_t first, second;
};

void data_race_check(const struct operation *operations, size_t count,
                     void (*found)(const struct data_race_report *r));

#endif
