#include "access/schedule.h"
#include "access/space.h"
#include "base/check.h"
#include "search/search_internal.h"
#include "search/trace_ahead.h"
#include "search/traces.h"

/* Runs after a failure that may be made twice. */
#define STATELESS_MAX 10000

struct search search;

/* What is being explored is of no use any more: the search starts again, or the token or range does not fit. */
static bool is_lost(void) {
  const struct choices *c = &search.history.choices;
  return schedule.unfit || search.restart || c->diverged || c->past;
}

/* The program was run for the execution under way: its result is worth having even if the search shall stop. */
static bool is_awaited(void) {
  return search.walk.awaited && search.strategy.kind == STRATEGY_FIXED;
}

bool search_over(void) {
  return is_lost() || (!is_awaited() && search.stopped(&search));
}

static bool over(struct walk *w) {
  (void)w;
  return search_over();
}

/* A look ahead that takes too long is given up. */
static void check_scout(void) {
  struct search *s = &search;
  if (s->scout.on && (s->interrupted() || scout_is_over(&s->scout)))
    choice_stop(&s->history.choices);
}

static void explore(int level, struct memo_node *root);

struct history_failure search_describe_point(uint32_t event, uint32_t which) {
  const struct event *point = &search.history.events.data[event];
  struct history_failure f = {.machine = -1, .point = which, .event = event};
  f.site = point->site;
  f.code = point->code;
  f.frames = search.history.frames.data[point->detail];
  bool placeless = !point->site && !point->code; /* thread_exit is no code of the program */
  f.before = placeless && point->value == CAUSE_FENCE + EVENT_FENCE_RMW
                 ? "the end of a thread"
                 : event_cause_text(point->value);
  return f;
}

/* Drop the tries of executions after a failure, and all that belongs to them.  pre: none is walked. */
static void forget_recoveries(void) {
  struct search *s = &search;
  for (int i = 0; i < SEARCH_RECOVERIES * LAYOUT_GENERATIONS; i++) {
    struct memo_node **root = &s->recovery[i / LAYOUT_GENERATIONS][i % LAYOUT_GENERATIONS];
    walk_drop(&s->walk, *root);
    *root = NULL;
  }
  memo_free_chains(&s->record.chains);
  merge_clear(&s->merge);
  recall_clear(&s->walk.recall);
  intern_free(&s->besides);
  s->bytes_before = mem_used_bytes();
}

size_t search_remembered_bytes(void) {
  size_t now = mem_used_bytes();
  return now > search.bytes_before ? now - search.bytes_before : 0;
}

/* The trie for executions after this failure.  Their volatile memory lies elsewhere (another generation) if the program
 * could tell: after the first failure, and if an address was kept in watched memory. */
static struct memo_node *recovery_after(int level) {
  struct search *s = &search;
  int kind = traces_follow(level + 1) ? 1 + s->scout.on : 0;
  struct memo_node **root = &s->recovery[kind][s->generation];
  if (!*root)
    *root = memo_create();
  return *root;
}

/* Executions that were run before states were compared lead nowhere where others can join them (search/merge.h).  A walk
 * that begins again has them run once more, if there are few. */
static void forget_stateless(int level) {
  struct search *s = &search;
  if (s->again.due && level == 0 && s->merge.allowed && s->stateless &&
      s->runs_after_failure <= STATELESS_MAX)
    forget_recoveries();
}

/* Explore what follows the failure, which is the newest choice, and close that choice. */
static void explore_failure(int level, const struct history_failure *f) {
  struct search *s = &search;
  struct search_progress progress = s->progress;
  struct strategy_state picks = s->picks;
  int generation = s->generation;
  uint32_t deviations = s->walk.deviations;
  vec_push(&s->history.failures, *f);
  s->memory.failed |= 1u << level;
  s->walk.deviations += level > 0; /* a further failure is one, too */
  s->generation += level == 0 || progress.keeps_address;
  do {
    s->walk.left = false;
    forget_stateless(level);
    explore(level + 1, recovery_after(level));
  } while (s->walk.left && !search_over());
  s->walk.left = false;
  s->walk.deviations = deviations;
  s->generation = generation;
  s->picks = picks;
  s->progress = progress;
  CHECK(s->memory.failed >> level == 1 && s->history.failures.length == (size_t)level + 1,
        "after failure %d: %x, %zu", level, s->memory.failed, s->history.failures.length);
  s->memory.failed &= ~(1u << level);
  s->history.failures.length--;
  choice_close(&s->history.choices);
}

/* Drop the tries if they take too much memory. */
static void make_room(void) {
  if (search_remembered_bytes() > search.memory_max)
    forget_recoveries();
}

void search_fail(int level, const struct history_failure *f) {
  make_room();
  if (choice_enter(&search.history.choices, CHOICE_FAILURE, f->point, 0))
    explore_failure(level, f);
}

/* For estimates: executions so far against the part of the failure points that is done. */
static void note_growth(void) {
  struct search *s = &search;
  uint64_t more;
  if (s->strategy.kind == STRATEGY_FIXED && bigint_small(&s->more, &more))
    curve_add(&s->growth, (double)s->progress.failure_points / (s->progress.points + 1),
              (double)s->executions + (double)more);
}

/* The walk has come to a failure point: explore a failure here. */
static void fail_here(int level, uint32_t event) {
  struct search *s = &search;
  const struct search_progress *p = &s->progress;
  struct choices *c = &s->history.choices;
  if (level == 0)
    make_room();
  check_scout();
  if (level > 0 && s->walk.limited && s->walk.deviations == s->walk.deviations_max)
    return;
  bool entered = choice_enter(c, CHOICE_FAILURE, p->failure_points, level ? 0 : p->points + 1);
  if (level == 0 && !s->scout.on &&
      (c->replaying || (entered && !c->starting && !s->again.due))) { /* it begins in this range */
    s->failure_points++;
    note_growth();
    if (s->count_eager)
      s->eager(s);
  }
  if (!entered)
    return;
  struct history_failure f = search_describe_point(event, p->failure_points);
  explore_failure(level, &f);
}

void search_apply_store(int level, const struct event *e, uint32_t index, uint32_t moment) {
  struct store store = {.value = e->value,
                        .event = index,
                        .step = (uint32_t)search.history.trace.steps.length - 1,
                        .offset = (uint8_t)(e->address % LINE_BYTES),
                        .size = e->size,
                        .domain = (uint8_t)level,
                        .moment = moment,
                        .atomic = e->atomic,
                        .release = e->release};
  memory_append(&search.memory, &space_line(e->address)->line, &store, e->joined);
}

/* Failure points up to the next observation, for choices that say of how many they are. */
static void count_points(const struct memo_node *n) {
  struct search *s = &search;
  s->progress.points = s->progress.failure_points;
  for (uint32_t i = n->events_begin; i < n->events_end; i++)
    s->progress.points += s->history.events.data[i].kind == EVENT_FAILURE_POINT;
}

/* Replay into memory/ what the execution did before its next observation, and fail at each failure point.  Events after
 * the last possible failure do not matter. */
static void apply_events(struct walk *w, struct memo_node *n) {
  struct search *s = &search;
  int level = w->level;
  if (level == s->failures_max)
    return;
  if (level == 0)
    count_points(n);
  for (uint32_t i = n->events_begin; i < n->events_end && !over(w); i++) {
    const struct event *e = &s->history.events.data[i]; /* the list grows in fail_here */
    if (e->kind != EVENT_PERSIST && e->kind != EVENT_FAILURE_POINT)
      search_note_step(level, i);
    if (e->kind == EVENT_STORE || e->kind == EVENT_NT_STORE) {
      search_apply_store(level, e, i, 0);
      s->progress.keeps_address |= level > 0 && generation_owns(s->generation, e->value);
    } else if (e->kind == EVENT_PERSIST) {
      struct line *l = &space_line(e->address)->line;
      CHECK(e->detail <= l->latest[level], "all but %u of %u stores of a line are persistent",
            e->detail, l->latest[level]);
      memory_raise(&s->memory, l, level, l->latest[level] - e->detail);
    } else if (e->kind == EVENT_FAILURE_POINT) {
      if (!n->explored && !s->skims)
        fail_here(level, i);
      s->progress.failure_points++;
    }
  }
}

/* ---- what goes back ---- */

static void mark_here(struct walk *w) {
  (void)w;
  struct search *s = &search;
  struct search_mark m = {.progress = s->progress,
                          .steps = s->history.steps.length,
                          .trace = s->history.trace.steps.length,
                          .loads = s->history.loads.length,
                          .validations = s->history.validations.length,
                          .sleep = sleep_here(&s->sleep),
                          .picks = s->picks,
                          .turns =
                              s->takes_turn ? dpor_at_next(&traces.last) : dpor_here(&traces.last)};
  if (s->analyses)
    m.analyses = analyses_mark(s->analyses);
  vec_push(&s->marks, m);
}

static void go_back(struct walk *w) {
  (void)w;
  struct search *s = &search;
  const struct search_mark *m = &vec_last(&s->marks);
  CHECK(s->history.steps.length >= m->steps && s->history.trace.steps.length >= m->trace &&
            s->history.loads.length >= m->loads,
        "an execution of %zu steps goes back to %zu", s->history.trace.steps.length, m->trace);
  s->progress = m->progress;
  s->history.steps.length = m->steps;
  s->history.trace.steps.length = m->trace;
  s->history.loads.length = m->loads;
  s->history.validations.length = m->validations;
  sleep_return(&s->sleep, m->sleep);
  s->picks = m->picks;
  dpor_back(&traces.last, &m->turns);
  if (s->analyses)
    analyses_undo(s->analyses, &m->analyses);
}

static void drop_mark(struct walk *w) {
  (void)w;
  dpor_forget(&traces.last, &vec_last(&search.marks).turns);
  search.marks.length--;
}

/* ---- walking what is known ---- */

/* Sampled schedules share their beginnings.  A node before any failure that was explored for one of them has nothing
 * new for the next, unless executions after a failure have schedules of their own. */
static void note_explored(int level, struct memo_node *n) {
  n->explored = level == 0 && !over(NULL) && strategy_samples(&search.strategy) &&
                !(search.run ? search.schedules_later : search.schedules_after_failure);
}

static struct memo_node *follow(struct walk *w, struct memo_node *n) {
  switch ((enum memo_kind)n->kind) {
  case MEMO_SCHEDULE:
    note_explored(w->level, n);
    return search_follow_schedule(n);
  case MEMO_FACT:
    return memo_follow(n, (uint64_t)w->level);
  case MEMO_MERGE:
    return memo_follow(n, 0);
  case MEMO_CHECKSUM:
    CHECK(n->edges && !n->edges->next, "what was read says whether a checksum is right");
    search_note_checksum(n->edges->value);
    return n->edges->to; /* determined by the loads before it */
  case MEMO_LOAD:
  case MEMO_CHAIN:
  case MEMO_END:
  case MEMO_UNEXECUTED:
    break;
  }
  CHECK(false, "observation %d", n->kind);
}

void search_finish(uint32_t result, const uint32_t *also, uint32_t count) {
  struct search *s = &search;
  struct choices *c = &s->history.choices;
  if (choice_complete(c))
    s->finished(result);
  for (uint32_t i = 0; i < count; i++) {
    if (!choice_enter(c, CHOICE_ALSO, i + 1, 0))
      continue;
    if (choice_complete(c))
      s->finished(also[i]);
    choice_close(c);
  }
}

/* An execution is over: count it, or only report it if this is a look ahead or the search shall stop. */
static void ended(struct walk *w, struct memo_node *n) {
  struct search *s = &search;
  bool glimpse = !is_lost() && (s->scout.on || (is_awaited() && s->stopped(s)));
  check_scout();
  if (glimpse) {
    s->scout.ends++;
    s->glimpsed(n->result);
  } else if (!over(w) && !n->explored) {
    if (choice_complete(&s->history.choices))
      search_tell(n, w->level);
  }
  if (n->also_count) /* a tally has one result for each execution */
    recall_spoil_all(&w->recall);
  if (traces_follow(w->level)) {
    for (uint32_t i = 0; i < n->waiting_count; i++)
      dpor_waits(&traces.last, &n->waiting[i]);
    dpor_end(&traces.last, true);
  }
  note_explored(w->level, n);
  if (traces.on)
    trace_ahead_check();
}

static bool is_new_result(struct walk *w, const struct memo_node *n) {
  (void)w;
  return search.is_news(n->result);
}

static void witness(struct walk *w, const struct memo_node *n) {
  (void)w;
  search.glimpsed(n->result);
}

static bool ending(struct walk *w) {
  (void)w;
  return !search.history.choices.repeats && search.ending();
}

/* May runs at this level be joined?  Only after the last failure: then nothing but the result and what analyses say is
 * wanted of an execution.  Its events are not applied, and its schedules are a function of what it reads. */
static bool can_merge(const struct search *s, int level) {
  return s->recall && level > 0 && level == s->failures_max && s->share &&
         !s->history.choices.replaying &&
         (s->strategy.kind == STRATEGY_FIXED || (traces_follow(level) && !s->analyses));
}

/* What comes of a node depends on memory alone as long as the execution has one thread, and no analysis has put loads
 * off until a checksum is validated. */
static bool is_whole(struct walk *w) {
  return (!traces_follow(w->level) || traces.last.events.length == 0) &&
         (!search.analyses || analyses_is_whole(search.analyses));
}

static void put_sum(const struct sum *s, struct str *out) {
  uint64_t words[] = {s->line->number,    s->not_newest, s->not_oldest, s->line_not_newest,
                      s->line_not_oldest, s->since,      s->until};
  str_append_bytes(out, words, sizeof words);
}

/* A number for what analyses know, and the checksum that is under way.  After a second failure it holds within one walk
 * only: which stores lines have depends on where the failures were. */
static uint32_t besides(struct walk *w) {
  static struct str bytes;
  struct search *s = &search;
  if (!s->analyses && !w->sum.line)
    return 0;
  str_clear(&bytes);
  if (s->analyses)
    analyses_put_state(s->analyses, &bytes);
  if (w->sum.line)
    put_sum(&w->sum, &bytes);
  if (w->level > 1)
    str_append_bytes(&bytes, &s->walks, sizeof s->walks);
  return 1 + intern(&s->besides, str_text(&bytes), bytes.length);
}

static void run(struct walk *w, struct memo_node *n) {
  search_run_program(w->level, n);
}

static bool runs_again(struct walk *w, struct memo_node *n) {
  (void)n;
  return !search.share && w->level > 0;
}

static void forget_node(void *context, struct memo_node *n) {
  struct search *s = &search;
  (void)context;
  recall_forget(&s->walk.recall, n->recalled);
  merge_forget(&s->merge, n);
}

/* Runs take states at loads that had several answers when they were recorded; n has become one since.  Not after a
 * further failure: another walk may stand on the same trie. */
static bool take_state(struct walk *w, struct memo_node *n) {
  struct search *s = &search;
  bool taken = n->parent && n->parent->kind == MEMO_MERGE; /* or it cannot be */
  taken |= n->state && n->state->number;
  if (!s->merge.allowed || w->level > 1 || taken || n->stateless || n->after_invalid ||
      n->load.in_checksum || n->load.summed)
    return false;
  recall_forget(&w->recall, n->recalled);
  n->recalled = NULL;
  merge_forget(&s->merge, n); /* a checkpoint */
  struct memo_node *aside = memo_put_aside(n);
  search_run_program(w->level, n);
  if (n->kind == MEMO_MERGE) {
    memo_keep_aside(n, aside);
    return true;
  }
  memo_take_back(n, aside, forget_node, NULL);
  n->stateless = true;
  return false;
}

static void gone(struct walk *w, struct memo_node *n) {
  (void)w;
  merge_forget(&search.merge, n);
}

static const struct walk_user user = {.run = run,
                                      .runs_again = runs_again,
                                      .take_state = take_state,
                                      .arrive = apply_events,
                                      .ended = ended,
                                      .take = search_take,
                                      .over = over,
                                      .is_new_result = is_new_result,
                                      .witness = witness,
                                      .ending = ending,
                                      .is_whole = is_whole,
                                      .besides = besides,
                                      .again = search_walk_again,
                                      .settled = search_is_settled,
                                      .relents = search_relents,
                                      .doubt = search_note_candidates,
                                      .answer = search_note_load,
                                      .may_skim = search_may_skim,
                                      .skimmed = search_note_loads,
                                      .follow = follow,
                                      .next = search_next_option,
                                      .gone = gone,
                                      .mark = mark_here,
                                      .back = go_back,
                                      .drop = drop_mark};

/* Walk the executions after `level` failures, whose trie begins at root. */
static void explore(int level, struct memo_node *root) {
  struct search *s = &search;
  struct sleep_mark sleep = sleep_here(&s->sleep);
  int level_before = s->walk.level;
  bool merges_before = s->merges;
  size_t marks = s->marks.length;
  s->walk.level = level;
  s->merges = can_merge(s, level);
  s->walk.recalls = s->merges && !s->scout.on;
  s->walk.stops_over = s->merge.seeks = s->strategy.kind == STRATEGY_FIXED;
  s->walk.divides = s->walk.stops_over && !s->analyses; /* they look at each answer */
  search_watch();
  s->walks++;
  s->scout.ends = 0;
  s->walk.each_cut = s->analyses != NULL;
  s->walk.matters = s->analyses && s->analyses->robustness_wanted ? search_matters : NULL;
  s->walk.skims = s->share; /* otherwise nothing is spared */
  s->progress = (struct search_progress){0};
  sleep_clear(&s->sleep);
  strategy_begin(&s->strategy, &s->picks, s->run, level);
  search_walk_begins();
  walk_explore(&s->walk, root);
  search_walk_ends();
  CHECK(s->marks.length == marks, "%zu marks of %zu are left", s->marks.length, marks);
  sleep_return(&s->sleep, sleep);
  s->walk.level = level_before;
  s->merges = merges_before;
  search_watch();
}

void search_forget_initial(void) {
  struct search *s = &search;
  walk_drop(&s->walk, s->initial);
  s->initial = memo_create();
}

/* Drop all tries and events; who shares what stays known. */
static void forget_all(void) {
  struct search *s = &search;
  search_forget_initial();
  forget_recoveries();
  s->history.events.length = s->history.frames.length = 0;
}

void search_count_again(void) {
  struct search *s = &search;
  s->executions = s->schedules = s->failure_points = 0;
  bigint_set(&s->more, 0);
  curve_free(&s->growth);
  s->started();
}

void search_begin_again(void) {
  struct search *s = &search;
  forget_all();
  again_forget(&s->again);
  search_count_again();
  s->restart = false;
  sharing_restart(&s->sharing);
}

void search_explore_range(void) {
  explore(0, search.initial);
}

static void look_ahead(uint32_t deviations) {
  struct search *s = &search;
  uint64_t schedules = s->schedules;
  s->walk.limited = true;
  s->walk.deviations_max = deviations;
  explore(0, s->initial);
  s->walk.limited = false;
  s->schedules = schedules;
}

/* A range, or everything; interrupted by looks ahead. */
static void explore_all(void) {
  struct search *s = &search;
  search_return();
  explore(0, s->initial);
  while (s->scout.due && !s->stopped(s)) {
    scout_look(&s->scout, &s->history.choices, look_ahead);
    search_return();
    explore(0, s->initial);
  }
}

/* Only whoever searches from the beginning looks ahead, and only with one schedule. */
static bool can_scout(const struct search *s) {
  const struct choices *c = &s->history.choices;
  return s->share && !s->analyses && !c->replaying && !c->starting && s->failures_max > 0 &&
         s->strategy.kind == STRATEGY_FIXED;
}

/* One sampled schedule, or all there are.  What the first one shows is taken for all of them: they may be explored by
 * different workers. */
static void explore_run(uint64_t run) {
  struct search *s = &search;
  s->run = run;
  explore_all();
  s->strategy.length = s->longest; /* not before: it is the same all through a run */
  if (run == 0)
    s->schedules_later = s->schedules_after_failure;
}

/* Sampled schedules in parts.  Those before the range are walked, too, to know which beginnings they share with those
 * in it: without failures, except for the first one (explore_run). */
static void explore_runs(void) {
  struct search *s = &search;
  struct choices *c = &s->history.choices;
  uint32_t done = 0;
  while (s->next_range() && !s->stopped(s)) {
    if (c->from.length == 0 || c->from.data[0].taken < done) {
      forget_all();
      done = s->longest = s->strategy.length = 0;
      s->schedules_after_failure = false;
    }
    for (; done < s->runs && !over(&s->walk); done++) {
      bool counts = choice_enter(c, CHOICE_RUN, done, (uint32_t)s->runs);
      if (c->past)
        break;
      if (!counts)
        choice_pass(c, CHOICE_RUN, done);
      s->skims = !counts && done > 0;
      explore_run(done);
      s->skims = false;
      choice_close(c);
    }
  }
}

void search_run(void) {
  struct search *s = &search;
  uint64_t runs = strategy_samples(&s->strategy) && !s->history.choices.replaying ? s->runs : 1;
  s->history.choices.stopped = search_stopped_here;
  s->walk.user = &user;
  s->walk.memory = &s->memory;
  s->walk.history = &s->history;
  if (s->next_unit && s->strategy.kind == STRATEGY_BOUNDED) {
    search_explore_units();
    return;
  }
  if (s->next_unit) {
    scout_begin(&s->scout, &s->history.choices, false);
    traces_explore_units();
    return;
  }
  if (s->next_range) {
    search_begin_again();
    if (strategy_samples(&s->strategy)) {
      explore_runs();
      return;
    }
    for (bool begun = false; s->next_range() && !s->stopped(s); begun = true) {
      if (!begun)
        scout_begin(&s->scout, &s->history.choices, can_scout(s));
      explore_all();
    }
    return;
  }
  scout_begin(&s->scout, &s->history.choices, can_scout(s));
  do {
    search_begin_again();
    if (traces.on) {
      traces_explore();
      continue;
    }
    for (uint64_t run = 0; run < runs && !over(&s->walk); run++)
      explore_run(run);
  } while (s->restart && !s->stopped(s)); /* otherwise what was found so far is the result */
}

void search_repeat(int64_t times) {
  struct search *s = &search;
  s->initial = memo_create();
  for (; times > 0 && !over(&s->walk); times--) {
    s->initial->kind = MEMO_UNEXECUTED;
    s->history.events.length = s->history.frames.length = 0;
    search_run_program(0, s->initial);
  }
}
