// Advice that has to hold for all executions of a finding: what helps one of them need not help another one that lost
// the same store.  Following it literally, as the second build of each pair does, removes the finding.
//
// The store is flushed in one place and not in the other: a fence there is not enough.
// BUILD -DCALLERS
// FIND : assertion after=FLUSH before=FIRST needs=fence or=PUT..SECOND
// BUILD -DCALLERS -DFIX
// CLEAN
// A copy over two cache lines: a flush behind it does not come between its parts.
// BUILD -DCOPY
// FIND : assertion after=COPY before=COPIED fix=no_flush_fits_between_the_parts_of_this_copy
// Two stores on one line of the source.
// BUILD -DLINE
// FIND : assertion after=LINE before=BOTH or=LINE..BOTH
// More executions than are looked at, and only the later ones cannot be prevented.
// BUILD -DMANY
// FIND : assertion after=ITEM before=DONE fix=add_a_flush_(clwb)_of_this_store's_cache_line_and_a_fence_(sfence)_right_after_it._That_prevents_the_first_executions
#include "analysis.h"
#include <string.h>

struct root {
  _Alignas(64) long a[8];
  _Alignas(64) long b[8];
  _Alignas(64) long first;
  _Alignas(64) long second;
  _Alignas(64) long done;
  _Alignas(64) long items[12][8];
  _Alignas(64) long x, y;
};

static struct root *r;

#if defined(CALLERS)
static void put(long *p) {
  *p = 1; //@PUT
#ifdef FIX
  clwb(p);
  sfence();
#endif
}

static void before(void) {
  put(&r->a[0]);
  clwb(&r->a[0]); //@FLUSH
#ifdef FIX
  sfence();
#endif
  r->first = 1; //@FIRST
  clwb(&r->first);
  sfence();
  put(&r->b[0]);
  r->second = 1; //@SECOND
}

static int is_well(long flag, long value) {
  return !flag || value;
}

static int after(void) {
  return is_well(r->first, r->a[0]) && is_well(r->second, r->b[0]);
}
#elif defined(COPY)
static void before(void) {
  long from[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
  memcpy(r->a, from, sizeof from); //@COPY
  r->done = 1;                     //@COPIED
}

static int after(void) {
  long done = r->done, last = r->b[0];
  return !(done || last) || r->a[0];
}
#elif defined(LINE)
static void before(void) {
  // clang-format off
  r->a[0] = 1; r->b[0] = 1; //@LINE
  // clang-format on
  r->done = 1; //@BOTH
}

static int after(void) {
  return !r->done || (r->a[0] && r->b[0]);
}
#else
static void before(void) {
  for (int i = 0; i < 12; i++)
    r->items[i][0] = 1; //@ITEM
  r->done = 1;          //@DONE
  clwb(&r->done);
  sfence();
  r->x = 1;
  r->y = 1;
}

static int after(void) {
  long all = 1;
  if (r->done)
    for (int i = 0; i < 12; i++)
      all &= r->items[i][0];
  return all && !(r->x && !r->y);
}
#endif

int main(void) {
  r = tidemark_region("r", sizeof *r);
  if (tidemark_failures())
    tidemark_assert(after());
  else
    before();
  return 0;
}
