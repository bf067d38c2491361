/* A thread's store buffer: what it has done to watched memory and nobody else sees yet.
 *
 *      newest  [store x=2] [sfence] [clflush y] [store x=1]  oldest --> cache
 *
 * First in, first out.  Used only where a delay can be noticed, that is while schedules are
 * explored and another thread can run; otherwise stores go straight to the cache.  World memory. */
#ifndef ACCESS_STORE_BUFFER_H
#define ACCESS_STORE_BUFFER_H

#include "access/access_internal.h"
#include "thread/thread.h"

enum buffered_kind { BUFFERED_STORE, BUFFERED_FLUSH, BUFFERED_FENCE };

struct buffered {
  enum buffered_kind kind;
  int detail;                /* enum abi_flush (clwb too: behind an sfence), enum abi_fence */
  uint64_t number;           /* 1, 2, ... in the order of arrival */
  struct access_piece piece; /* flush: of the whole line; fence: only site */
  uintptr_t code;            /* where, if there is no site */
  uint32_t place;            /* of a flush or fence (analysis/flush.h) */
  uint32_t issued;           /* schedule.traces: 1 + the operation of its thread it follows, or 0 */
};

struct store_buffer {
  struct buffered *items; /* a ring */
  uint32_t first, length, capacity;
  uint64_t numbers; /* number of the newest entry ever */
  bool fenced;      /* an sfence came in since the buffer was last known to be empty; */
  uintptr_t *lines; /* lines that the thread has stored to or flushed since the newest sfence */
  uint32_t line_count, line_capacity;
  bool filled; /* another entry came in since the newest sfence, or since it was empty */
  /* Place (analysis/flush.h) of the newest sfence that came in behind another entry. */
  uint32_t fence_place;
};

static inline bool store_buffer_empty(const struct thread *t) {
  return !t->store_buffer || t->store_buffer->length == 0;
}

struct buffered *store_buffer_push(struct thread *t, const struct buffered *new);
const struct buffered *store_buffer_oldest(const struct thread *t); /* NULL: empty */
struct buffered store_buffer_pop(struct thread *t);                 /* the oldest */

void store_buffer_lose(struct thread *t); /* all of it */

/* The thread has waited for its buffer to be empty. */
void store_buffer_settled(struct thread *t);

/* In program order: is an sfence the newest thing that a clflushopt or clwb of the line cannot overtake, whether or not
 * it has left the buffer since? */
bool store_buffer_behind_fence(const struct thread *t, uintptr_t line);

/* Put the thread's own newer stores into a value it loads; returns which bytes they cover. */
uint8_t store_buffer_forward(const struct thread *t, uintptr_t address, int size, uint64_t *value);

/* The newest entry that a clflushopt or clwb of the line cannot overtake: a store to the line or a
 * flush of it, or an sfence.  NULL: there is none. */
const struct buffered *store_buffer_before_flush(const struct thread *t, uintptr_t line);

#endif
