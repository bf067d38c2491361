#include "access/space.h"
#include "search/search_internal.h"

struct search search;

static bool over(void) {
  return search.restart || search.history.choices.diverged || search.stopped(&search);
}

/* Do the two differ only in one domain, in which the older ends where the newer begins? */
static bool adjacent(const struct candidate *newer, const struct candidate *older, int *where) {
  int different = 0;
  if (newer->value != older->value || newer->refinement_count != older->refinement_count)
    return false;
  for (int i = 0; i < newer->refinement_count; i++) {
    const struct refinement *a = &newer->refinements[i], *b = &older->refinements[i];
    if (a->domain != b->domain)
      return false;
    if (a->interval.low == b->interval.low && a->interval.high == b->interval.high)
      continue;
    if (b->interval.high + 1 != a->interval.low)
      return false;
    *where = i;
    different++;
  }
  return different == 1;
}

/* The answers to a load, as many as there are values to tell apart: which of several neighbouring
 * stores of the same value survived says nothing, and may stay open. */
size_t search_answers(struct line *l, int offset, int size) {
  struct search *s = &search;
  candidate_list *all = &s->history.candidates;
  size_t first = all->length;
  int where;
  s->raw.length = s->answer_of.length = 0;
  memory_candidates(&s->memory, l, offset, size, &s->raw);
  for (size_t i = 0; i < s->raw.length; i++) {
    if (i && adjacent(&vec_last(all), &s->raw.data[i], &where))
      vec_last(all).refinements[where].interval.low =
          s->raw.data[i].refinements[where].interval.low;
    else
      vec_push(all, s->raw.data[i]);
    vec_push(&s->answer_of, (uint32_t)(all->length - first - 1));
  }
  return first;
}

/* ---- telling what happens ---- */

static void note_step(int level, uint32_t event) {
  struct search *s = &search;
  vec_push(&s->history.trace.steps, ((struct trace_step){.event = event, .level = (uint8_t)level}));
  if (s->analyses)
    analyses_step(s->analyses);
}

static struct analysis_load describe_load(int level, const struct memo_node *n, size_t number) {
  return (struct analysis_load){.number = (uint32_t)number,
                                .line = n->line,
                                .address = n->address,
                                .size = n->size,
                                .level = level,
                                .site = n->site,
                                .code = n->code,
                                .ignored = n->ignored,
                                .postponed = n->in_checksum};
}

static void note_load(int level, const struct memo_node *n, const struct candidate *taken) {
  struct search *s = &search;
  vec_push(&s->history.loads, ((struct history_load){n, level}));
  if (!s->analyses)
    return;
  struct analysis_load l = describe_load(level, n, s->history.loads.length - 1);
  analyses_load(s->analyses, &s->memory, &l, taken);
}

struct analysis_load search_load(uint32_t number) {
  const struct history_load *l = &search.history.loads.data[number];
  return describe_load(l->execution, l->node, number);
}

/* Each answer is looked at as if it had been taken: what is found names it.  `choice` is the one
 * between them, NULL if their values are the same. */
static void note_candidates(int level, const struct memo_node *n, struct choice *choice) {
  struct search *s = &search;
  if (!s->analyses)
    return;
  struct analysis_load l = describe_load(level, n, s->history.loads.length);
  uint32_t taken = choice ? choice->taken : 0;
  for (size_t i = 0; i < s->raw.length; i++) {
    uint32_t answer = s->answer_of.data[i];
    if (s->history.choices.replaying && answer != taken)
      continue;
    if (choice)
      choice->taken = vec_last(&s->history.reads).taken = answer;
    analyses_candidates(s->analyses, &s->memory, &l, &s->raw.data[i], 1);
  }
  if (choice)
    choice->taken = vec_last(&s->history.reads).taken = taken;
}

static void go_back(const struct search_branch *b) {
  struct search *s = &search;
  memory_undo(&s->memory, b->mark);
  s->history.trace.steps.length = b->trace;
  s->history.loads.length = b->loads;
  if (s->analyses)
    analyses_undo(s->analyses, &b->analyses);
}

static void explore(int level, struct memo_node *root);

static struct history_failure describe_point(uint32_t event, uint32_t which) {
  const struct event *point = &search.history.events.data[event];
  struct history_failure f = {.machine = -1, .point = which, .event = event};
  f.site = point->site;
  f.code = point->code;
  f.frames = search.history.frames.data[point->detail];
  f.before = event_cause_text(point->value);
  return f;
}

/* Who goes on after a failure has other volatile memory, if the difference can be told. */
static struct memo_node *recovery_after(int level, bool keeps_address) {
  struct search *s = &search;
  s->generation += level == 0 || keeps_address;
  if (!s->recovery[s->generation])
    s->recovery[s->generation] = memo_create();
  return s->recovery[s->generation];
}

static void fail_here(int level, uint32_t event, const struct search_progress *p) {
  struct search *s = &search;
  if (s->count_eager && level == 0)
    s->eager(s);
  if (!choice_enter(&s->history.choices, CHOICE_FAILURE, p->failure_points, 0))
    return;
  vec_push(&s->history.failures, describe_point(event, p->failure_points));
  s->memory.failed |= 1u << level;
  struct strategy_state picks = s->picks;
  int generation = s->generation;
  explore(level + 1, recovery_after(level, p->keeps_address));
  s->generation = generation;
  s->picks = picks;
  s->memory.failed &= ~(1u << level);
  s->history.failures.length--;
  choice_close(&s->history.choices);
}

static void apply_store(int level, const struct event *e, uint32_t index) {
  struct store store = {.value = e->value,
                        .event = index,
                        .step = (uint32_t)search.history.trace.steps.length - 1,
                        .offset = (uint8_t)(e->address % LINE_BYTES),
                        .size = e->size,
                        .domain = (uint8_t)level,
                        .atomic = e->atomic,
                        .release = e->release};
  memory_append(&search.memory, &space_line(e->address)->line, &store, e->joined);
}

/* Replay what the execution did before its next observation. */
static void apply_events(int level, const struct memo_node *n, struct search_progress *p) {
  struct search *s = &search;
  if (level == s->failures_max)
    return;
  for (uint32_t i = n->events_begin; i < n->events_end && !s->stopped(s); i++) {
    const struct event *e = &s->history.events.data[i]; /* the list grows in fail_here */
    if (e->kind != EVENT_PERSIST && e->kind != EVENT_FAILURE_POINT)
      note_step(level, i);
    if (e->kind == EVENT_STORE || e->kind == EVENT_NT_STORE) {
      apply_store(level, e, i);
      p->keeps_address |= level > 0 && generation_owns(s->generation, e->value);
    } else if (e->kind == EVENT_PERSIST) {
      struct line *l = &space_line(e->address)->line;
      memory_raise(&s->memory, l, level, l->latest[level] - e->detail);
    } else if (e->kind == EVENT_FAILURE_POINT) {
      if (!n->explored) {
        s->failure_points += level == 0;
        fail_here(level, i, p);
      }
      p->failure_points++;
    }
  }
}

static struct search_branch branch_here(struct memo_node *n, const struct search_progress *p) {
  struct search *s = &search;
  struct search_branch b = {.node = n,
                            .mark = memory_mark(&s->memory),
                            .progress = *p,
                            .steps = s->history.steps.length,
                            .trace = s->history.trace.steps.length,
                            .loads = s->history.loads.length,
                            .sleep = sleep_here(&s->sleep),
                            .picks = s->picks};
  if (s->analyses)
    b.analyses = analyses_mark(s->analyses);
  return b;
}

static void push_branch(struct memo_node *n, const struct search_progress *p) {
  vec_push(&search.branches, branch_here(n, p));
}

/* Answer the newest load as its choice says. */
static struct memo_node *take_load(int level) {
  struct search *s = &search;
  struct memo_node *n = vec_last(&s->branches).node;
  const struct history_read *r = &vec_last(&s->history.reads);
  const struct candidate *c = &s->history.candidates.data[r->first + r->taken];
  note_load(level, n, c);
  memory_choose(&s->memory, n->line, c);
  return memo_follow(n, c->value);
}

static struct memo_node *follow_load(int level, struct memo_node *n,
                                     const struct search_progress *p) {
  struct search *s = &search;
  struct line *l = n->line;
  int offset = (int)(n->address - l->address);
  uint64_t value;
  if (memory_certain(&s->memory, l, offset, n->size, &value)) {
    note_load(level, n, NULL);
    return memo_follow(n, value);
  }
  struct history_read r = {.address = n->address,
                           .size = n->size,
                           .execution = level,
                           .site = n->site,
                           .code = n->code,
                           .first = search_answers(l, offset, n->size)};
  r.count = s->history.candidates.length - r.first;
  if (r.count == 1) { /* several stores of one value */
    value = s->history.candidates.data[r.first].value;
    s->history.candidates.length = r.first;
    note_candidates(level, n, NULL);
    note_load(level, n, NULL);
    return memo_follow(n, value);
  }
  r.taken = choice_open(&s->history.choices, CHOICE_READ, (uint32_t)r.count);
  vec_push(&s->history.reads, r);
  note_candidates(level, n, &vec_last(&s->history.choices.stack));
  push_branch(n, p);
  return take_load(level);
}

/* ---- schedules ---- */

bool search_sleeps(void) {
  return search.strategy.kind == STRATEGY_ALL && !search.history.choices.replaying;
}

/* Go on with option number `taken` of the newest schedule node. */
static struct memo_node *take_option(uint32_t taken) {
  struct search *s = &search;
  struct memo_node *n = vec_last(&s->branches).node;
  search_sleep_take(&s->sleep, n, taken);
  vec_push(&s->history.steps,
           ((struct history_step){(int)s->history.failures.length, n->options[taken]}));
  return memo_follow(n, taken);
}

/* NULL: whatever comes next was tried in another order. */
static struct memo_node *follow_schedule(struct memo_node *n, const struct search_progress *p) {
  struct search *s = &search;
  uint32_t first = search_first_option(n, &s->picks, &s->sleep);
  if (s->picks.choices > s->longest)
    s->longest = s->picks.choices;
  if (first == n->option_count)
    return NULL;
  push_branch(n, p);
  return take_option(choice_open_at(&s->history.choices, CHOICE_SCHEDULE, n->option_count, first));
}

/* Before any failure nobody comes back to a schedule that has been explored.  Its events can go if
 * those of executions after a failure, which stay, do not lie among them. */
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
  h->events.length = n->events_end;
}

/* The next option of the newest schedule node; NULL if there is none, and the choice is closed. */
static struct memo_node *next_option(int level) {
  struct search *s = &search;
  struct memo_node *n = vec_last(&s->branches).node;
  uint32_t next = vec_last(&s->history.choices.stack).taken + 1;
  if (level == 0 && !strategy_samples(&s->strategy))
    forget_option(n, next - 1);
  if (n->only || strategy_samples(&s->strategy))
    next = n->option_count;
  else if (search_sleeps())
    next = sleep_first_awake(&s->sleep, n->options, n->option_count, next);
  return choice_jump(&s->history.choices, next) ? take_option(next) : NULL;
}

/* ---- walking what is known ---- */

/* Forget the newest branch. */
static void drop_branch(void) {
  struct search *s = &search;
  if (vec_last(&s->branches).node->kind == MEMO_LOAD) {
    s->history.candidates.length = vec_last(&s->history.reads).first;
    s->history.reads.length--;
  }
  s->branches.length--;
}

/* The next alternative of the newest branch; NULL if there is none, and its choice is closed. */
static struct memo_node *next_alternative(int level) {
  struct search *s = &search;
  const struct search_branch *b = &vec_last(&s->branches);
  go_back(b);
  sleep_return(&s->sleep, b->sleep);
  s->picks = b->picks;
  s->history.steps.length = b->steps;
  if (b->node->kind == MEMO_SCHEDULE)
    return next_option(level);
  if (!choice_next(&s->history.choices))
    return NULL;
  vec_last(&s->history.reads).taken++;
  return take_load(level);
}

static struct memo_node *backtrack(int level, size_t bottom, struct search_progress *p) {
  struct search *s = &search;
  while (s->branches.length > bottom && !over()) {
    *p = vec_last(&s->branches).progress;
    struct memo_node *n = next_alternative(level);
    if (n)
      return n;
    drop_branch();
  }
  return NULL;
}

/* An execution is over.  Sampled schedules may come to the same end again. */
static void finish(int level, struct memo_node *n) {
  struct search *s = &search;
  if (over() || !choice_complete(&s->history.choices) || n->explored)
    return;
  s->executions++;
  s->schedules += level == 0;
  s->finished(n->result);
}

/* Sampled schedules share their beginnings.  Nothing new can be found there again, unless the
 * executions after a failure have schedules of their own. */
static void note_explored(int level, struct memo_node *n) {
  n->explored = level == 0 && !over() && strategy_samples(&search.strategy) &&
                !search.schedules_after_failure;
}

static void explore(int level, struct memo_node *root) {
  struct search *s = &search;
  size_t bottom = s->branches.length;
  struct search_progress progress = {0};
  struct search_branch begin = branch_here(NULL, &progress);
  sleep_clear(&s->sleep);
  strategy_begin(&s->strategy, &s->picks, s->run, level);
  for (struct memo_node *n = root; n && !over();) {
    if (n->kind == MEMO_UNEXECUTED || (n->kind == MEMO_END && !s->share && level > 0))
      search_run_program(level, n);
    apply_events(level, n, &progress);
    switch ((enum memo_kind)n->kind) {
    case MEMO_LOAD:
      n = follow_load(level, n, &progress);
      break;
    case MEMO_SCHEDULE:
      note_explored(level, n);
      n = follow_schedule(n, &progress);
      if (!n)
        n = backtrack(level, bottom, &progress);
      break;
    case MEMO_FACT:
      n = memo_follow(n, (uint64_t)level);
      break;
    case MEMO_CHECKSUM:
      if (s->analyses)
        analyses_checksum(s->analyses, n->edges->value);
      n = n->edges->to; /* determined by the loads before it */
      break;
    case MEMO_END:
    case MEMO_UNEXECUTED:
      finish(level, n);
      note_explored(level, n);
      n = backtrack(level, bottom, &progress);
    }
  }
  for (; s->branches.length > bottom; drop_branch()) /* stopped early */
    choice_close(&s->history.choices);
  s->history.steps.length = begin.steps;
  sleep_return(&s->sleep, begin.sleep);
  go_back(&begin);
}

/* Nothing is known, except who shares what. */
static void begin_again(void) {
  struct search *s = &search;
  memo_drop(s->initial, NULL);
  s->initial = memo_create();
  for (int i = 0; i < LAYOUT_GENERATIONS; i++) {
    memo_drop(s->recovery[i], NULL);
    s->recovery[i] = NULL;
  }
  s->executions = s->schedules = s->failure_points = 0;
  s->history.events.length = s->history.frames.length = 0;
  s->restart = false;
  sharing_restart(&s->sharing[0]);
  sharing_restart(&s->sharing[1]);
  s->started();
}

void search_run(void) {
  struct search *s = &search;
  uint64_t runs = strategy_samples(&s->strategy) && !s->history.choices.replaying ? s->runs : 1;
  do {
    begin_again();
    for (s->run = 0; s->run < runs && !over(); s->run++) {
      explore(0, s->initial);
      s->strategy.length = s->longest; /* not before: it is the same all through a run */
    }
  } while (s->restart && !s->stopped(s)); /* otherwise what was found so far is the result */
}

void search_repeat(int64_t times) {
  struct search *s = &search;
  s->initial = memo_create();
  for (; times > 0 && !over(); times--) {
    s->initial->kind = MEMO_UNEXECUTED;
    s->history.events.length = s->history.frames.length = 0;
    search_run_program(0, s->initial);
  }
}
