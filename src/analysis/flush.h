/* Flushes and fences that do nothing: of each place that executes one, did it ever make a store
 * persistent that was not?
 *
 * Every run of the program tells, whether it is the first or a recovery; what a flush does depends on
 * nothing but the run it is in.  Of several flushes that one fence completes the one that covers most
 * of a line counts, of equal ones the first; a non-temporal store needs none.  So the flushes that
 * never counted can all go together: in every execution the others do what they did.
 *
 * Host memory. */
#ifndef ANALYSIS_FLUSH_H
#define ANALYSIS_FLUSH_H

#include "base/vec.h"
#include "event/event.h"

#define FLUSH_FRAMES 3 /* a helper that flushes is told apart by its callers */

struct flush_place {
  bool fence;
  uint8_t kind;                       /* enum abi_flush or enum abi_fence */
  const struct abi_site *site;        /* NULL: */
  const char *call;                   /* a library function, called from code[0] */
  uintptr_t code[FLUSH_FRAMES];       /* return addresses, innermost first */
  uint64_t executed, completed, used; /* how often; completed: a fence followed */
};

/* A flush or fence is executed: returns the number of its place.  several: there are threads that could have taken
 * turns in another way, so that another flush could have had the effect. */
uint32_t flush_executed(const struct flush_place *where, bool several);
void flush_completed(uint32_t place, bool used);

/* Was a flush ever executed with `several`?  Then nothing is reported. */
bool flush_by_several(void);
size_t flush_place_count(void);
const struct flush_place *flush_place(size_t number);

/* All variables of this file, for --isolate. */
void flush_state(void **state, size_t *bytes);

#endif
