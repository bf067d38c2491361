/* Schedule nodes of a walk: which operations are tried next, with sleep sets (state by state) or as the reduction says
 * (by traces, after the last failure). */
#include "base/check.h"
#include "search/search_internal.h"
#include "search/trace_join.h"
#include "search/traces.h"

bool search_sleeps(void) {
  return search.strategy.kind == STRATEGY_ALL && !search.history.choices.replaying;
}

/* Go on with option number `taken`. */
static struct memo_node *take_option(struct memo_node *n, uint32_t taken) {
  struct search *s = &search;
  CHECK(taken < n->option_count, "option %u of %u", taken, n->option_count);
  search_sleep_take(&s->sleep, n, taken);
  vec_push(&s->history.steps, ((struct history_step){.execution = (int)s->history.failures.length,
                                                     .operation = n->options[taken]}));
  return memo_follow(n, taken);
}

/* By traces: go on with option number `taken`. */
static struct memo_node *take_turn(struct memo_node *n, uint32_t taken) {
  struct search *s = &search;
  const struct operation *o = &n->options[taken];
  bool same;
  CHECK(taken < n->option_count, "option %u of %u", taken, n->option_count);
  dpor_note(&traces.last, o, o->after, &same);
  CHECK(same, "a turn that was not the one decided on");
  trace_join_last_note(o);
  vec_push(&s->history.steps,
           ((struct history_step){.execution = (int)s->history.failures.length, .operation = *o}));
  return memo_follow(n, taken);
}

/* What is known behind the node, and the node itself, is dropped: it will be run once more. */
static struct memo_node *unexecuted(struct memo_node *n) {
  struct memo_node *before = n->parent;
  uint64_t value = n->parent_value;
  memo_cut(before, value);
  return memo_follow(before, value);
}

static struct memo_node *follow_turn(struct memo_node *n) {
  struct search *s = &search;
  if (n->is_end) {
    for (uint32_t i = 0; i < n->option_count; i++)
      dpor_waits(&traces.last, &n->options[i]);
    dpor_end(&traces.last, true);
    return NULL;
  }
  if (traces.last.events.length == 0)
    trace_join_last_begins();
  if (trace_join_last_lacks(n) && n->parent)
    return unexecuted(n);
  if (trace_join_last_here(n)) {
    dpor_end(&traces.last, false);
    return NULL;
  }
  uint32_t first = traces_pick_last(n->options, n->option_count, false);
  if (first == DPOR_NOBODY)
    return NULL;
  s->takes_turn = true;
  walk_branch(&s->walk, n);
  s->takes_turn = false;
  uint32_t process = choice_open_at(&s->history.choices, CHOICE_TURN, UINT32_MAX,
                                    dpor_process(&n->options[first]));
  uint32_t taken = dpor_option_of(n->options, n->option_count, process);
  s->history.choices.diverged |= taken == DPOR_NOBODY;
  return taken == DPOR_NOBODY ? NULL : take_turn(n, taken);
}

/* With more nodes than that, what was explored behind a turn is dropped.  If another failure leads there again the
 * program is run again. */
#define TURNS_KEPT 100000

static struct memo_node *next_turn(struct memo_node *n) {
  struct choices *c = &search.history.choices;
  uint32_t next = DPOR_NOBODY;
  if (memo_count() > TURNS_KEPT)
    memo_cut(n, dpor_option_of(n->options, n->option_count, vec_last(&c->stack).taken));
  bool more = dpor_retreat(&traces.last);
  while (search.walk.limited && traces.last.plan) /* a look ahead takes one schedule */
    dpor_skip(&traces.last);
  more &= !search.walk.limited;
  trace_join_last_retreat(traces.last.events.length);
  if (more && !c->replaying)
    next = traces_pick_last(n->options, n->option_count, true);
  if (next == DPOR_NOBODY) {
    choice_close(c);
    return NULL;
  }
  choice_jump(c, dpor_process(&n->options[next]));
  return take_turn(n, next);
}

struct memo_node *search_follow_schedule(struct memo_node *n) {
  struct search *s = &search;
  if (traces_follow(s->walk.level))
    return follow_turn(n);
  uint32_t first = search_first_option(n, &s->picks, &s->sleep);
  if (s->walk.level == 0 && s->picks.choices > s->longest)
    s->longest = s->picks.choices;
  if (first == n->option_count)
    return NULL;
  walk_branch(&s->walk, n);
  /* The others need not be tried (only_option). */
  uint32_t count = n->only ? first + 1 : n->option_count;
  return take_option(n, choice_open_at(&s->history.choices, CHOICE_SCHEDULE, count, first));
}

/* Before any failure a schedule that has been explored is not walked again: drop its nodes.  Its events can go, too,
 * unless executions after a failure, whose nodes stay, have put theirs behind them. */
static void forget_option(struct memo_node *n, uint32_t option) {
  struct history *h = &search.history;
  memo_cut(n, option);
  if (n->runs_after_failure != search.runs_after_failure)
    return;
  for (size_t i = n->events_end; i < h->events.length; i++)
    if (h->events.data[i].kind == EVENT_FAILURE_POINT) {
      h->frames.length = h->events.data[i].detail;
      break;
    }
  CHECK(n->events_end <= h->events.length, "events up to %u of %zu", n->events_end,
        h->events.length);
  h->events.length = n->events_end;
}

struct memo_node *search_next_option(struct walk *w, struct memo_node *n) {
  struct search *s = &search;
  if (traces_follow(w->level))
    return next_turn(n);
  uint32_t next = vec_last(&s->history.choices.stack).taken + 1;
  if (w->level == 0 && !strategy_samples(&s->strategy))
    forget_option(n, next - 1);
  if (n->only || strategy_samples(&s->strategy) || w->limited)
    next = n->option_count;
  else if (search_sleeps())
    next = sleep_first_awake(&s->sleep, n->options, n->option_count, next);
  return choice_jump(&s->history.choices, next) ? take_option(n, next) : NULL;
}
