#include "access/births.h"
#include "access/lifetime.h"
#include "access/ordinary.h"
#include "access/turn.h"
#include "access/waiting.h"
#include "base/check.h"
#include "explore/dpor_unit.h"
#include "process/fiber.h"
#include "process/share.h"
#include "process/stop.h"
#include "search/interleavings_internal.h"
#include "search/waypoints.h"
#include <string.h>

struct interleavings interleavings;

#define NO_PROCESS UINT32_MAX
#define WAITERS_TOLD 8    /* ways that a signal, or a choice, can have (CHOICE_SIGNAL) */
#define STEPS_A_CLASS 200 /* interleavings_explore(N) also ends after N times as many steps */
#define ESTIMATE_EVERY 16 /* executions between two estimates of how many there are */
#define MEMORY_EVERY 1024 /* steps of an execution between two looks at what is kept */

static bool explores_all(void) {
  return interleavings.strategy.kind == STRATEGY_ALL;
}

static bool replays(void) {
  return interleavings.history.choices.replaying;
}

size_t interleavings_events(void) {
  return explores_all() && !replays() ? interleavings.dpor.at : interleavings.trace.length;
}

const struct operation *interleavings_event(size_t i) {
  return explores_all() && !replays() ? &interleavings.dpor.events.data[i].op
                                      : &interleavings.trace.data[i];
}

size_t interleavings_unchanged(void) {
  size_t n = interleavings.unchanged, events = interleavings_events();
  interleavings.unchanged = explores_all() && !replays() ? events : 0;
  return n < events ? n : events;
}

bool interleavings_before(uint32_t first, uint32_t second) {
  struct interleavings *s = &interleavings;
  if (explores_all() && !replays())
    return dpor_before(&s->dpor, first, second);
  bool same;
  while (s->order.events.length <= second) {
    const struct operation *o = &s->trace.data[s->order.events.length];
    dpor_note(&s->order, o, o->after, &same);
  }
  return dpor_before(&s->order, first, second);
}

/* ---- while the program runs ---- */

#define DIFFERS \
  "the program does not repeat what it did in the same schedule before: it depends on something " \
  "the checker does not control (a clock, an address, uninitialised memory, a real file)"

/* On the host if a thread has failed that did not before, and the others would go on. */
static _Noreturn void differs(const struct abi_site *site) {
  REQUIRE(fiber_current(), DIFFERS);
  stop_with(STOP_NONDETERMINISM, site, DIFFERS);
}

static uint32_t option_of(const struct operation *options, uint32_t count, uint32_t process) {
  for (uint32_t i = 0; i < count; i++)
    if (dpor_process(&options[i]) == process)
      return i;
  return count;
}

/* The process that the token names next; NO_PROCESS: it has come to its end. */
static uint32_t replayed_process(void) {
  const struct choices *c = &interleavings.history.choices;
  size_t at = interleavings.facts_told + interleavings.trace.length;
  if (at >= c->forced.length)
    return NO_PROCESS;
  const struct choice *x = &c->forced.data[at];
  return x->kind == CHOICE_SIGNAL ? x->taken / WAITERS_TOLD : x->taken;
}

static uint32_t way_of(const struct choice *x) {
  if (x->kind == CHOICE_SIGNAL)
    return x->taken % WAITERS_TOLD;
  return x->kind == CHOICE_WAKES ? 1 : x->kind == CHOICE_TIMEOUT ? 2 : 0;
}

static uint32_t replayed_way(void) {
  const struct choices *c = &interleavings.history.choices;
  size_t at = interleavings.facts_told + interleavings.trace.length;
  return at < c->forced.length ? way_of(&c->forced.data[at]) : 0;
}

static uint32_t pick_replayed(const struct operation *options, uint32_t count) {
  uint32_t wanted = replayed_process();
  if (wanted == NO_PROCESS)
    return 0;
  uint32_t i = option_of(options, count, wanted);
  interleavings.history.choices.diverged |= i == count;
  return i == count ? 0 : i;
}

/* A preemption: to leave a thread that could go on.  Stores that leave buffers are none. */
static uint32_t price(const struct operation *options, uint32_t count, uint32_t which) {
  uint32_t last = interleavings.last;
  if (options[which].drain || last == NO_PROCESS || dpor_process(&options[which]) == last)
    return 0;
  return option_of(options, count, last & ~1u) < count;
}

/* Does the bound allow this option?  Only others notice when a store of the running thread leaves its buffer.  So it is
 * tried only right before another thread goes on, and not at all while the bound lets none. */
static bool fits(const struct operation *options, uint32_t count, uint32_t which) {
  const struct interleavings *s = &interleavings;
  const struct operation *o = &options[which];
  uint32_t left = s->strategy.parameter - s->preemptions;
  bool can_go_on = s->last != NO_PROCESS && option_of(options, count, s->last) < count;
  if (price(options, count, which) > left)
    return false;
  if (o->drain)
    return (dpor_process(o) & ~1u) != s->last || !can_go_on || left > 0;
  return dpor_process(o) != s->last || !s->own_drain || o->drained;
}

/* The index of the n-th option that the bound allows; count: there are not so many. */
static uint32_t allowed(const struct operation *options, uint32_t count, uint32_t n) {
  bool any = false;
  for (uint32_t i = 0; i < count && !any; i++)
    any = fits(options, count, i);
  for (uint32_t i = 0; i < count; i++)
    if ((any ? fits(options, count, i) : dpor_process(&options[i]) == interleavings.last) &&
        n-- == 0)
      return i;
  return count;
}

/* One of so many alternatives, as the schedule that is explored says. */
static uint32_t choose_bounded(uint32_t count) {
  struct interleavings *s = &interleavings;
  if (s->choice_at == s->choices.length)
    vec_push(&s->choices, ((struct interleavings_choice){0, count}));
  struct interleavings_choice *c = &s->choices.data[s->choice_at++];
  c->count = count;
  CHECK(count > 0, "nothing to choose from");
  return c->taken;
}

/* Fairness: a thread that has gone on for INTERLEAVINGS_PATIENCE operations while others could probably waits for one
 * of them. The index of an option of the next thread then, otherwise count. */
static uint32_t relief(const struct operation *options, uint32_t count) {
  struct interleavings *s = &interleavings;
  uint32_t next = count;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t p = dpor_process(&options[i]), best = next < count ? dpor_process(&options[next]) : 0;
    if (p != s->last && !options[i].drain &&
        (next == count || p - s->last < best - s->last)) /* in turn: numbers wrap around */
      next = i;
  }
  bool could = next < count && option_of(options, count, s->last) < count;
  return could && s->in_a_row++ >= INTERLEAVINGS_PATIENCE ? next : count;
}

static uint32_t pick_bounded(const struct operation *options, uint32_t count) {
  struct interleavings *s = &interleavings;
  uint32_t other = s->last == NO_PROCESS ? count : relief(options, count);
  if (other < count) {
    s->relieved = true;
    return other;
  }
  uint32_t n = 0;
  while (allowed(options, count, n) < count)
    n++;
  CHECK(n > 0, "the bound leaves nothing to do");
  uint32_t taken = n > 1 ? choose_bounded(n) : 0;
  uint32_t which = allowed(options, count, taken);
  if (which == count)
    differs(options[0].site);
  s->preemptions += price(options, count, which);
  return which;
}

/* On a fiber the run is stopped; does not return then. */
static uint32_t give_up(bool *why, const char *text) {
  *why = true;
  if (!fiber_current()) /* a thread has failed, and the others would go on */
    return DOOR_NOTHING;
  stop_with(STOP_KNOWN, NULL, "%s", text);
}

static uint32_t pick(const struct operation *options, uint32_t count) {
  struct interleavings *s = &interleavings;
  if (count == 0)
    return give_up(&s->early, "a thread looks again later");
  if (replays())
    return pick_replayed(options, count);
  switch (s->strategy.kind) {
  case STRATEGY_FIXED:
    return 0;
  case STRATEGY_RANDOM:
  case STRATEGY_PCT:
    if (s->ahead && s->trace.length > s->longest)
      return give_up(&s->blocked, "others would not have waited so long");
    return count == 1 ? 0 : strategy_pick(&s->strategy, &s->picks, options, count);
  case STRATEGY_BOUNDED:
    return pick_bounded(options, count);
  case STRATEGY_ALL:
    break;
  }
  bool missing;
  uint32_t i = dpor_pick(&s->dpor, options, count, &missing);
  if (missing)
    differs(options[0].site);
  if (i != DPOR_NOBODY)
    return i;
  if (dpor_is_barred(&s->dpor))
    turn_tell_who_waits();
  else
    turn_tell_futile();
  return give_up(&s->blocked, "every way to go on was tried in another order");
}

static bool goes_on(const struct operation *o) {
  if (replays()) {
    uint32_t wanted = replayed_process();
    return wanted == NO_PROCESS || wanted == dpor_process(o);
  }
  if (explores_all())
    return dpor_goes_on(&interleavings.dpor, o);
  return interleavings.strategy.kind == STRATEGY_FIXED;
}

static bool demands(const struct operation *o) {
  return explores_all() && !replays() && dpor_demands(&interleavings.dpor, o);
}

/* What an earlier execution, or whoever gave us the part, has planned for this one lies behind it. */
static bool is_on_new_ground(void) {
  const struct interleavings *s = &interleavings;
  if (!explores_all())
    return s->choice_at == s->choices.length;
  const struct dpor *d = &s->dpor;
  return d->at == d->events.length && d->at > dpor_given_events(d) && !d->plan;
}

/* Each step is kept until the execution has been compared with others. */
static void look_at_memory(const struct operation *o) {
  size_t steps = interleavings_events();
  bool looks = steps % MEMORY_EVERY == 0 && fiber_current() && !replays() && is_on_new_ground();
  if (looks && interleavings.full())
    stop_with(STOP_FULL, o->site, "after %zu steps that other threads could notice", steps);
}

static void note(const struct operation *o) {
  struct interleavings *s = &interleavings;
  bool same = true;
  s->own_drain = o->drain && (dpor_process(o) & ~1u) == s->last;
  if (!o->drain) {
    s->in_a_row = s->last == dpor_process(o) ? s->in_a_row : 0;
    s->last = dpor_process(o);
  }
  if (explores_all() && !replays())
    dpor_note(&s->dpor, o, o->after, &same);
  else
    vec_push(&s->trace, *o);
  if (!same)
    differs(o->site);
  look_at_memory(o);
}

/* The n-th of the ways in which the operation can end. */
static uint32_t nth_way(const struct operation *o, uint32_t n) {
  CHECK(n < (uint32_t)__builtin_popcount(o->ways), "way %u of %x", n, o->ways);
  uint32_t way = 0;
  while (!(o->ways >> way & 1) || n-- > 0)
    way++;
  return way;
}

static uint32_t way_taken(const struct operation *o) {
  struct interleavings *s = &interleavings;
  uint32_t count = (uint32_t)__builtin_popcount(o->ways);
  if (replays())
    return replayed_way();
  switch (s->strategy.kind) {
  case STRATEGY_FIXED:
    return 0;
  case STRATEGY_RANDOM:
  case STRATEGY_PCT:
    return nth_way(o, strategy_way(&s->picks, count));
  case STRATEGY_BOUNDED:
    return nth_way(o, choose_bounded(count));
  case STRATEGY_ALL:
    break;
  }
  return dpor_way(&s->dpor, o);
}

/* A way that was planned may not exist any more if something else has happened before it: then it is the first one. */
static uint32_t way(const struct operation *o) {
  uint32_t taken = way_taken(o);
  return o->ways >> taken & 1 ? taken : 0;
}

static void waits(const struct operation *o) {
  if (explores_all() && !replays() && (o->lock == OPERATION_LOCK_ACQUIRE || o->state))
    dpor_waits(&interleavings.dpor, o);
}

static uint64_t where(void) {
  return interleavings_events();
}

const struct door interleavings_door = {.pick = pick,
                                        .goes_on = goes_on,
                                        .demands = demands,
                                        .note = note,
                                        .way = way,
                                        .waits = waits,
                                        .pauses = waypoints_wanted,
                                        .where = where};

/* ---- the search ---- */

static void take(enum choice_kind kind, uint32_t which) {
  vec_push(&interleavings.history.choices.stack, ((struct choice){.kind = kind, .taken = which}));
}

/* A token begins with who creates how many threads, if not only main does: their numbers depend on it; and with what
 * threads share: which accesses are steps depends on that. */
static void describe_sharing(void) {
  static sharing_facts facts; /* scratch */
  const births_counts *births = births_known();
  for (size_t i = 0; i < births->length; i++)
    take(CHOICE_BIRTHS, births->data[i]);
  sharing_tell(&ordinary.sharing, &facts);
  uint32_t next = 0;
  for (size_t i = 0; i < facts.length; i++) {
    take(CHOICE_SHARED, facts.data[i].number - next);
    next = facts.data[i].number + 1;
    if (facts.data[i].writer != SHARING_NOBODY)
      take(CHOICE_WRITER, facts.data[i].writer);
  }
}

/* Replay: read what threads share from the beginning of the token.  An empty token says nothing, and the run learns
 * it. */
static void read_facts(void) {
  struct interleavings *s = &interleavings;
  const struct choices *c = &s->history.choices;
  sharing_facts *facts = &ordinary.sharing.facts;
  ordinary.sharing.told = c->forced.length > 0;
  static births_counts births; /* scratch */
  uint32_t next = 0;
  births.length = s->facts_told = 0;
  while (s->facts_told < c->forced.length && c->forced.data[s->facts_told].kind == CHOICE_BIRTHS)
    vec_push(&births, c->forced.data[s->facts_told++].taken);
  if (ordinary.sharing.told)
    births_tell(&births);
  for (; s->facts_told < c->forced.length; s->facts_told++) {
    const struct choice *x = &c->forced.data[s->facts_told];
    if (x->kind == CHOICE_WRITER && facts->length)
      vec_last(facts).writer = x->taken;
    else if (x->kind == CHOICE_SHARED)
      vec_push(facts, ((struct sharing_fact){next + x->taken, SHARING_NOBODY}));
    else
      break;
    next = vec_last(facts).number + 1;
  }
}

static void take_operation(const struct operation *o) {
  uint32_t process = dpor_process(o);
  CHECK(o->way < WAITERS_TOLD, "way %u", o->way);
  if (o->way && (operation_signals(o) || operation_chooses(o)))
    take(CHOICE_SIGNAL, process * WAITERS_TOLD + o->way);
  else
    take(o->way == 1 ? CHOICE_WAKES : o->way == 2 ? CHOICE_TIMEOUT : CHOICE_SCHEDULE, process);
}

static uint32_t length_before(uint64_t run) {
  const struct interleavings *s = &interleavings;
  uint32_t longest = 0;
  for (uint64_t i = 0; i < run && i < INTERLEAVINGS_TRIALS; i++)
    if (s->measured[i] && s->lengths[i] > longest)
      longest = s->lengths[i];
  return longest;
}

void interleavings_forget_lengths(void) {
  memset(interleavings.measured, 0, sizeof interleavings.measured);
}

/* Now, because describing the execution repeats it, in which nothing is chosen. */
static void note_length(void) {
  struct interleavings *s = &interleavings;
  if (s->ahead || s->run >= INTERLEAVINGS_TRIALS)
    return;
  s->lengths[s->run] = s->picks.choices;
  s->measured[s->run] = true;
}

static uint32_t execute(void) {
  struct interleavings *s = &interleavings;
  s->trace.length = 0;
  if (s->order.events.length)
    dpor_free(&s->order);
  s->choice_at = 0;
  s->preemptions = s->in_a_row = 0;
  s->last = NO_PROCESS;
  s->own_drain = false;
  s->blocked = s->early = false;
  ordinary.each_once = explores_all() && !replays();
  waiting_begin();
  births_begin();
  if (!s->ahead)
    s->strategy.length = length_before(s->run);
  s->resumes = waypoints_begin(explores_all() && !replays());
  if (!s->resumes) {
    sharing_begin(&ordinary.sharing);
    lifetime_begin();
  }
  strategy_begin(&s->strategy, &s->picks, s->run, 0);
  door = &interleavings_door;
  return s->execute();
}

/* Repeat the execution in the way a replay does, to have the same numbers for what threads share.  Where each step is
 * chosen, all threads come to their next step before the first is taken; in a replay it is known who goes on, so they
 * come to their steps, and to what they share, in another order. */
static void repeat_as_told(void) {
  struct interleavings *s = &interleavings;
  struct choices *c = &s->history.choices;
  c->stack.length = c->forced.length = 0;
  for (size_t i = 0; i < s->trace.length; i++)
    take_operation(&s->trace.data[i]);
  for (size_t i = 0; i < c->stack.length; i++)
    vec_push(&c->forced, c->stack.data[i]);
  s->facts_told = 0;
  c->replaying = true;
  execute();
  c->replaying = c->diverged = false;
  c->forced.length = 0;
  s->repeated = true;
}

void interleavings_describe(void) {
  struct history *h = &interleavings.history;
  bool chosen = !explores_all() && interleavings.strategy.kind != STRATEGY_FIXED;
  if (chosen && !replays() && !interleavings.repeated)
    repeat_as_told();
  h->steps.length = 0;
  h->steps_are_events = true;
  if (!replays()) {
    h->choices.stack.length = 0;
    describe_sharing();
  }
  for (size_t i = 0; i < interleavings_events(); i++) {
    vec_push(&h->steps,
             ((struct history_step){.execution = 0, .operation = *interleavings_event(i)}));
    if (!replays())
      take_operation(interleavings_event(i));
  }
}

bool interleavings_over(void) {
  return interleavings.history.choices.diverged || interleavings.stopped();
}

void interleavings_run_once(void) {
  struct interleavings *s = &interleavings;
  if (explores_all() && !replays()) {
    dpor_begin(&s->dpor);
    if (s->dpor.events.length < s->unchanged)
      s->unchanged = s->dpor.events.length;
  } else if (!s->ahead) {
    s->unchanged = 0;
  }
  s->repeated = false;
  uint32_t result = execute();
  note_length();
  CHECK(door == &interleavings_door, "somebody else was asked");
  s->program_runs += !s->ahead;
  if (explores_all() && !replays() && !ordinary.broken)
    dpor_end(&s->dpor, !s->blocked);
  if (s->blocked || ordinary.broken || s->silent)
    return;
  if (s->early) {
    s->came_early++;
    s->given_up();
    return;
  }
  if (s->ahead) {
    s->glimpsed(result);
    return;
  }
  s->executions++;
  s->schedules++;
  if (explores_all() && !replays() && s->executions % ESTIMATE_EVERY == 0)
    s->estimate =
        dpor_estimate(&s->dpor) * (double)s->executions / (double)(s->executions + s->came_early);
  s->finished(result);
}

/* Go to the next schedule within the bound. */
static bool next_bounded(void) {
  struct interleavings *s = &interleavings;
  while (s->choices.length > s->choices_given) {
    struct interleavings_choice *c = &vec_last(&s->choices);
    if (++c->taken < c->count)
      return true;
    s->choices.length--;
  }
  return false;
}

bool interleavings_next(void) {
  struct interleavings *s = &interleavings;
  if (replays())
    return false;
  switch (s->strategy.kind) {
  case STRATEGY_FIXED:
    return false;
  case STRATEGY_RANDOM:
  case STRATEGY_PCT:
    return ++s->run < s->runs_end;
  case STRATEGY_BOUNDED:
    return next_bounded();
  case STRATEGY_ALL:
    break;
  }
  return dpor_next(&s->dpor);
}

void interleavings_begin_again(void) {
  struct interleavings *s = &interleavings;
  dpor_free(&s->dpor);
  s->choices.length = s->choices_given = 0;
  s->executions = s->schedules = s->came_early = 0;
  s->since_ahead = 0;
  s->run = 0;
  s->runs_end = s->runs;
  interleavings_forget_lengths();
  ordinary.broken = false;
  sharing_restart(&ordinary.sharing);
  s->started();
}

bool interleavings_explore(uint64_t most) {
  struct interleavings *s = &interleavings;
  bool more = true;
  do {
    interleavings_begin_again();
    uint64_t steps = 0;
    do {
      interleavings_run_once();
      steps += interleavings_events();
      interleavings_look_ahead();
      more = !interleavings_over() && !ordinary.broken && interleavings_next();
    } while (more && s->executions < most && steps / STEPS_A_CLASS < most);
    s->restarts += ordinary.broken;
    if (ordinary
            .broken) /* the token fits the steps that there are once it is known what is shared */
      s->history.choices.diverged = false;
  } while (ordinary.broken && !interleavings_over());
  return !more;
}

bool interleavings_explore_classes(void) {
  struct interleavings *s = &interleavings;
  s->strategy.kind = STRATEGY_ALL;
  s->classes = true;
  bool ended = interleavings_explore(s->all_first), over = interleavings_over();
  s->every_class = ended && !over;
  s->classes = false;
  s->strategy.kind = STRATEGY_BOUNDED;
  return ended || over;
}

void interleavings_run(void) {
  struct interleavings *s = &interleavings;
  bool bounded = s->strategy.kind == STRATEGY_BOUNDED && s->all_first && !replays();
  s->dpor.futile = &ordinary.futile;
  if (s->next_unit) {
    interleavings_explore_units();
    return;
  }
  if (replays())
    read_facts();
  if (!bounded || !interleavings_explore_classes())
    interleavings_explore(UINT64_MAX);
}

void interleavings_share(void) {
  share_register(&interleavings, sizeof interleavings);
  share_register(&ordinary, sizeof ordinary);
  lifetime_share();
}
