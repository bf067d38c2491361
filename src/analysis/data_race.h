/* Data races as C11 and C++11 define them: two accesses to a byte by different threads, one of them a
 * store, one of them not atomic, and neither happens before the other.
 *
 * What happens before what: the order of each thread; creating and joining threads; releasing and
 * acquiring locks; atomic stores that release and loads that acquire, with their fences and release
 * sequences, as the memory orders in the source say.  To free a block is to store to all of it; to
 * initialise or destroy a lock is to store to it, and to use it is to load it.  Found with vector
 * clocks, in one sequentially consistent execution after the other; a program has a race if one of its executions has.
 * Updates that add up (operation.blind) are explored in one order only, so between them only what holds in all orders
 * counts.
 *
 * Executions that follow each other begin alike: what is known about that part is kept.  Host memory. */
#ifndef ANALYSIS_DATA_RACE_H
#define ANALYSIS_DATA_RACE_H

#include "base/map.h"
#include "base/vec.h"
#include "event/operation.h"
#include <stddef.h>

/* Positions in the execution. */
struct data_race_report {
  uint32_t first, second;
};

struct data_race_step;
struct data_race_place;
struct data_race_own;
struct data_race_changed;

struct data_race {
  VEC(struct operation) operations; /* of the execution at hand */
  /* What was found in it, in the order of the second accesses. */
  VEC(struct data_race_report) reports;
  uint32_t threads;   /* how many threads clocks have room for */
  VEC(uint32_t) rows; /* vector clocks, `threads` numbers each, never changed; row 0 is zeros */
  VEC(struct data_race_step) steps;
  VEC(struct data_race_own) own;       /* by thread */
  struct map numbers;                  /* of words and locks: 1 + number */
  VEC(struct data_race_place) places;  /* by number; for all executions */
  VEC(uint32_t) newest;                /* by number, thread, kind of access: 1 + position */
  VEC(struct data_race_changed) trail; /* places as they were before steps, to go back */
  /* Does the first of two operations of the execution come before the second in every schedule that is equivalent to
   * it? */
  bool (*before)(uint32_t first, uint32_t second);
};

/* Look at an execution, whose first `known` operations are those of the one before; the reports are about it then. */
void data_race_follow(struct data_race *d, const struct operation *operations, size_t count,
                      size_t known);

#endif
