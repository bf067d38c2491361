/* Which of the possible next operations of a multi-threaded execution are tried.
 *
 *   fixed      threads are left only when they wait or their turn is over: nothing to choose
 *   random     `runs` schedules, every operation chosen with equal probability
 *   pct:D      `runs` schedules by priorities with D-1 random changes (probabilistic concurrency
 *              testing, Burckhardt et al., ASPLOS 2010): finds a bug of depth D with probability >=
 *              1/(threads * length^(D-1)).  A thread that is preferred to others very often in a row may be
 *              a loop that waits for one of them: then it comes last
 *   bounded:K  every schedule with at most K preemptions
 *   all        every schedule, up to exchanges of neighbours that nobody can notice
 *
 * The sampling ones are functions of seed, number of the run and what was chosen before, so that a
 * path walked again in explore/memo.h gets the same answers. */
#ifndef EXPLORE_STRATEGY_H
#define EXPLORE_STRATEGY_H

#include "event/operation.h"

enum strategy_kind {
  STRATEGY_FIXED,
  STRATEGY_RANDOM,
  STRATEGY_PCT,
  STRATEGY_BOUNDED,
  STRATEGY_ALL,
};

#define STRATEGY_DEPTH_MAX 16
#define STRATEGY_BOUND_MAX 1000
#define STRATEGY_TIRED_MAX 16

struct strategy {
  enum strategy_kind kind;
  uint32_t parameter; /* D or K */
  uint64_t seed;
  uint32_t length; /* pct: choices in the longest schedule so far */
};

/* How far a schedule has come; copied where the search may come back. */
struct strategy_state {
  uint64_t key; /* of this run, at this level */
  uint32_t choices;
  uint32_t lowered[STRATEGY_DEPTH_MAX]; /* pct: whom each change of priorities concerned, or 0 */
  /* pct: the thread that was preferred last, and how often in a row. */
  uint32_t last, in_a_row;
  uint32_t tired[STRATEGY_TIRED_MAX]; /* pct: ring of threads that come last for that reason; */
  uint32_t times_tired;               /* so many were put there ever */
};

/* "pct:3"; false: not a schedule. */
bool strategy_parse(const char *text, struct strategy *s);

/* Does it sample schedules, and not try every alternative? */
static inline bool strategy_samples(const struct strategy *s) {
  return s->kind == STRATEGY_RANDOM || s->kind == STRATEGY_PCT;
}

void strategy_begin(const struct strategy *s, struct strategy_state *state, uint64_t run,
                    int level);
uint32_t strategy_pick(const struct strategy *s, struct strategy_state *state,
                       const struct operation *options, uint32_t count);

/* When sampling: in which of so many ways does an operation end? */
uint32_t strategy_way(struct strategy_state *state, uint32_t count);

#endif
