/* Persistency races (Yashme): a load after a failure reads a store that is not atomic in the source
 * and may have been persisted in part, because nothing says that all of it was done when its line
 * was written back.  The compiler may have split such a store, or used the place for something else
 * meanwhile.
 *
 * What says so is a flush of the line that happens after the store and was completed before the
 * failure, or that an atomic release store to the line, which happens after it, was read before.
 * Where the failure struck is not taken literally: a flush counts only if something that happens after
 * its completion was read, since otherwise the failure could as well have come before it (consistent
 * prefixes).  `baseline` counts every flush before the failure. */
#ifndef ANALYSIS_RACE_H
#define ANALYSIS_RACE_H

#include "memory/cut.h"
#include "memory/line.h"

struct analyses;
struct analysis_load;

/* A flush or fence, as it happened. */
struct race_flush {
  uintptr_t line; /* 0: a fence, which completes the flushes of its thread */
  uint32_t step;
  uint16_t thread;
  uint8_t level, machine;
};

/* Whose stores something makes persistent (cxl). */
enum race_whose { RACE_OWN, RACE_OTHERS, RACE_ALL };

/* Everything stored to the line before `from` was persistent once `to` had happened; or, with an
 * atomic store that was read, is.  Newest first in a chain. */
struct race_safe {
  uintptr_t line;
  uint32_t from, to; /* to TRACE_NONE: read */
  uint32_t next;
  uint32_t position; /* and no later one in the line */
  uint32_t stamp;    /* no other one has it, or had */
  uint8_t level, machine, whose;
};

/* What made a store, or all of a line, safe when that was last asked; it may have gone since. */
struct race_memo {
  uint32_t entry, stamp; /* number + 1; 0: nothing yet */
};

typedef VEC(uint32_t) race_ticks;

struct race {
  bool baseline;
  struct cuts prefix; /* the least part of each execution that explains what was read */
  VEC(struct race_flush) flushes;
  VEC(struct race_safe) safe;
  /* By thread, ascending: the ticks of those that are `to` of some of these. */
  VEC(race_ticks) completions[CLOCK_LEVELS];
  VEC(uint32_t) buckets;       /* number + 1 of the newest, by line */
  VEC(struct race_memo) memos; /* by store */
  VEC(struct race_memo) lines; /* by number */
  uint32_t stamps;
};

struct race_mark {
  size_t prefix, flushes, safe;
};

void race_step(struct analyses *a, uint32_t step);

/* cxl: does it say something new that this thread sees to it that the line is written back? */
bool race_fetch_is_news(const struct analyses *a, uintptr_t line, int thread);
void race_answer(struct analyses *a, const struct analysis_load *l, const sighting_list *s,
                 const struct candidate *candidate, bool taken);

/* Are all stores to the line up to that one known to be whole and to have happened? */
static inline bool race_settled(const struct race *r, const struct line *l, uint32_t newest) {
  if (r->baseline || newest >= r->prefix.whole_first)
    return false;
  if (!l->plain)
    return true;
  struct race_memo m =
      l->number < r->lines.length ? r->lines.data[l->number] : (struct race_memo){0};
  if (!m.entry || m.entry > r->safe.length)
    return false;
  const struct race_safe *s = &r->safe.data[m.entry - 1];
  return s->stamp == m.stamp && newest < s->from && s->to < r->prefix.whole_first;
}

/* Are all stores to the line up to that one known to be whole?  false: perhaps. */
bool race_whole(const struct analyses *a, const struct line *l, uint32_t newest);

/* Of so many steps of a thread that are known to have happened: how many make a difference?  Only whether a flush was
 * completed does. */
uint32_t race_completed(const struct race *r, int level, size_t thread, uint32_t ticks);

struct race_mark race_mark(const struct race *r);
void race_undo(struct race *r, const struct clock *c, const struct race_mark *m);
void race_free(struct race *r);

#endif
