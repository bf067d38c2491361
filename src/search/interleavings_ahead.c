/* Looking ahead: a search in order comes late to schedules that begin in another way, and a large one is not waited for.
 * Now and then, for a small part of the work, schedules are sampled by priorities (pct), and what they show is reported at
 * once.  They do not count: the search comes to them, too.
 *
 * Which are sampled follows from the execution that was explored last, so it does not depend on who explores what. */
#include "access/ordinary.h"
#include "base/hash.h"
#include "search/interleavings_internal.h"

#define EVERY 250000     /* events */
#define SHARE 48         /* of them for one event in samples, */
#define SHARE_OF_FIRST 8 /* in the first part of a search, which is short */
#define PRICE 200        /* of an execution, in events */
#define LONGEST 4        /* times as long as the last one: a schedule by priorities may be unfair */

static uint64_t key_of_execution(size_t events) {
  uint64_t key = interleavings.strategy.seed;
  for (size_t i = 0; i < events; i++)
    key = hash_u64(key, dpor_process(interleavings_event(i)));
  return key;
}

static void sample(size_t events) {
  static const uint32_t depths[] = {3, 2, 5};
  struct interleavings *s = &interleavings;
  struct strategy given = s->strategy;
  struct strategy by_priority = {
      .kind = STRATEGY_PCT, .seed = key_of_execution(events), .length = (uint32_t)events + 1};
  uint64_t spent = 0, run = s->run, most = EVERY / (s->first_part ? SHARE_OF_FIRST : SHARE);
  s->ahead = true;
  s->longest = LONGEST * events + PRICE;
  for (s->run = 0; spent < most && !ordinary.broken && !interleavings_over(); s->run++) {
    s->strategy = by_priority;
    s->strategy.parameter = depths[s->run % (sizeof depths / sizeof *depths)];
    interleavings_run_once();
    spent += s->trace.length + PRICE;
    if (s->run == 0) /* it has shown how many choices there are */
      by_priority.length = s->picks.choices + 1;
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
