/* Looking ahead in a search over all schedules: sampling schedules now and then, by priorities (pct), and some at random.
 *
 * A depth-first search comes late to schedules that begin in another way, and nobody waits for the end of a large one.
 * A small part of the work goes into samples, and what they show is reported at once.  They are not counted: the search
 * comes to them, too.  Priorities find what needs few changes at the right places among many threads; where threads must
 * be left often, and it hardly matters where, they hardly ever are, and chance is better.
 *
 * Which schedules are sampled follows from the execution that was explored last, so it does not depend on which worker
 * explores what. */
#include "access/ordinary.h"
#include "base/hash.h"
#include "search/interleavings_internal.h"

#define EVERY 250000     /* events of the search between two sets of samples */
#define SHARE 48         /* samples take one event for so many of the search, */
#define SHARE_OF_FIRST 8 /* or so many in the first part of a search, which is short */
#define PRICE 200        /* what starting an execution costs, in events */
/* A sample is given up if it is so many times as long: priorities may be unfair. */
#define LONGEST 4

static uint64_t key_of_execution(size_t events) {
  uint64_t key = interleavings.strategy.seed;
  for (size_t i = 0; i < events; i++)
    key = hash_u64(key, dpor_process(interleavings_event(i)));
  return key;
}

static void sample(size_t events) {
  static const uint32_t depths[] = {3, 2, 5, 0}; /* 0: at random */
  struct interleavings *s = &interleavings;
  struct strategy given = s->strategy;
  struct strategy sampled = {.seed = key_of_execution(events), .length = (uint32_t)events + 1};
  uint64_t spent = 0, run = s->run, most = EVERY / (s->first_part ? SHARE_OF_FIRST : SHARE);
  s->ahead = true;
  s->longest = LONGEST * events + PRICE;
  for (s->run = 0; spent < most && !ordinary.broken && !interleavings_over(); s->run++) {
    s->strategy = sampled;
    s->strategy.parameter = depths[s->run % (sizeof depths / sizeof *depths)];
    s->strategy.kind = s->strategy.parameter ? STRATEGY_PCT : STRATEGY_RANDOM;
    interleavings_run_once();
    spent += s->trace.length + PRICE;
    if (s->run == 0) /* it has shown how many choices there are */
      sampled.length = s->picks.choices + 1;
  }
  s->ahead = false;
  s->run = run;
  s->strategy = given;
}

void interleavings_look_ahead(void) {
  struct interleavings *s = &interleavings;
  size_t events = interleavings_events();
  bool wanted = s->strategy.kind == STRATEGY_ALL && !s->classes && !s->history.choices.replaying;
  if (!wanted || !s->glimpsed || ordinary.broken)
    return;
  s->since_ahead += events + PRICE;
  if (s->since_ahead < EVERY)
    return;
  s->since_ahead = 0;
  sample(events);
}
