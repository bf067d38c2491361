/* Checksums that a recovery computes over what a failure has left.
 *
 * A log of N lines that were written before one fence has some 9^N contents, each with another sum, of which one is
 * right.  Nobody can go through them, and nobody wants to know which of them have the right sum by accident.  So a
 * checksum is taken to notice what is torn, and of the contents of the lines that it goes over only these are tried:
 *   - all lines as they were stored last, except for any one of them, which may have any of its contents;
 *   - likewise all lines as they were before;
 *   - all lines as they were at one moment of the failed execution.
 * That is in proportion to N.  The code that compares the sum is run with all of them, so it is not trusted blindly.
 *
 * Which loads go into a checksum: those of some functions, by name, and of loops without hooks that have the shape of
 * PMDK's (Debian's library has no names).  What such a function reads must decide about nothing but its result, and a
 * wrong result must be treated like any other.  Where one checksum ends and the next begins is not seen: other loads in
 * doubt come between them, or addresses go back, else they are one.
 *
 * A *sum* follows the loads of one checksum along the walk; it goes back with it. */
#ifndef SEARCH_SUM_H
#define SEARCH_SUM_H

#include "abi/abi.h"
#include "explore/memo.h"
#include "memory/line.h"

struct sum {
  const struct line *line; /* the last one that was in doubt; NULL: no checksum is under way */
  /* Lines before it (2: or more) of which something else was read than what was stored last; than what was there
   * before. */
  uint8_t not_newest, not_oldest;
  bool line_not_newest, line_not_oldest; /* likewise for `line` */
  uint64_t since, until; /* moments at which all lines were as they were read: from, before */
};

/* Patterns of functions, separated by commas; "none": no checksum is taken for one. */
void sum_set(const char *patterns);

/* Does a load from there go into a checksum?  site: NULL if the code has no hooks; then `looped` says what its
 * instructions look like. */
bool sum_has(const struct abi_site *site, bool looped);

/* A load with several answers, of different values, comes next.  open: where the failed execution was cut off is open, nothing is left out. */
void sum_come(struct sum *s, const struct memo_load *x, bool open);

/* Is that answer to a load of the line tried? */
bool sum_tries(const struct sum *s, const struct line *l, const struct candidate *c);

/* It is taken.  Before the line is narrowed. */
void sum_take(struct sum *s, const struct line *l, const struct candidate *c);

#endif
