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

/* A reason why stores to a line are not torn: all those before step `from` were persistent once step `to` had happened
 * (a completed flush) or, to TRACE_NONE, because an atomic release store after them was read.  In a hash table with
 * chains, newest first. */
struct race_safe {
  uintptr_t line;
  uint32_t from, to; /* to TRACE_NONE: read */
  uint32_t next;
  uint32_t position; /* cxl: only stores up to that position of the line */
  uint32_t stamp;    /* unique, so that a cached index can be checked */
  uint8_t level, machine, whose;
};

/* A cache: the entry of race.safe that made a store, or all of a line, safe when that was last asked.  It may be gone:
 * the stamp tells. */
struct race_memo {
  uint32_t entry, stamp; /* number + 1; 0: nothing yet */
};

typedef VEC(uint32_t) race_ticks;

struct race_line {
  uint32_t walk; /* of which the rest is true */
  bool settled;
  bool asked; /* the next one is true, too */
  bool silent;
};

struct race {
  bool baseline;
  struct cuts prefix; /* the least part of each execution that explains what was read */
  VEC(struct race_flush) flushes;
  VEC(struct race_safe) safe;
  /* By thread, ascending: the ticks of those that are `to` of some of these. */
  VEC(race_ticks) completions[CLOCK_LEVELS];
  VEC(uint32_t) buckets;       /* number + 1 of the newest, by line */
  VEC(struct race_memo) memos; /* by step of the store */
  VEC(struct race_memo) lines; /* by number of the line */
  uint32_t stamps;
  /* cxl, while survivors of the last failure are walked (race_walk_begins): by thread, so many steps were known to have
   * happened when that began; and by line, what was asked about it in the same walk. */
  bool walking;
  uint32_t walk;
  race_ticks known_first;
  VEC(struct race_line) in_walk;
  /* By thread, ascending: the flushes and accesses of which that walk can still learn something (race_pending). */
  VEC(race_ticks) pending;
  race_ticks first; /* scratch */
};

struct race_mark {
  size_t prefix, flushes, safe;
};

void race_step(struct analyses *a, uint32_t step);

/* cxl: the thread's access writes the line back.  Does that make anything safe that was not known to be? */
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

/* pm: does reading this store, which was certainly written back, say nothing but that it happened?  False: not
 * known. */
bool race_says_nothing(struct analyses *a, const struct line *l, const struct store *s);

/* Are all stores to the line up to that one known not to be torn?  False: not known. */
bool race_whole(const struct analyses *a, const struct line *l, uint32_t newest);

/* cxl: a walk of what comes after the last failure begins, and ends: no steps are made meanwhile.  And were all stores
 * to the line that the failures may have torn known to be whole when it began? */
void race_walk_begins(struct analyses *a);
void race_walk_ends(struct analyses *a);
bool race_line_settled(struct analyses *a, const struct line *l);

/* Likewise, and does it make nothing safe either to know that its stores have happened?  Then loads of it say nothing. */
bool race_line_is_silent(struct analyses *a, const struct line *l);

/* For memoised walks: `ticks` steps of the thread are known to have happened; returns how many flush completions are
 * among them, because nothing else makes a difference. */
uint32_t race_completed(const struct race *r, int level, size_t thread, uint32_t ticks);

/* The same for cxl, of the first completions that make a store safe which was not when the walk began.  All of them if no
 * walk is under way. */
uint32_t race_pending(const struct race *r, size_t thread, uint32_t ticks);

struct race_mark race_mark(const struct race *r);
void race_undo(struct race *r, const struct clock *c, const struct race_mark *m);
void race_free(struct race *r);

#endif
