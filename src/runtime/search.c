#include "runtime/search.h"
#include "base/check.h"
#include "runtime/access.h"
#include "runtime/program.h"

struct search search;

/* ---- while the program runs ---- */

static _Noreturn void diverged(const char *what, const struct abi_site *site) {
  stop_with(STOP_NONDETERMINISM, site,
            "%s, but the same execution did something else before: the program depends on "
            "something the checker does not control (a clock, an address, uninitialised memory)",
            what);
}

/* Events of a run matter if a failure may follow it, now or when its path is walked again after
 * fewer failures. */
static bool events_matter(int level) {
  return level < search.failures_max || (level > 0 && search.failures_max > 1);
}

/* Is the next observation one that was recorded earlier?  Then *value is its answer. */
static bool replayed(enum memo_kind kind, uintptr_t address, int size, const struct abi_site *site,
                     uint64_t *value) {
  struct search *s = &search;
  if (s->cursor == s->path.length)
    return false;
  const struct memo_step *step = &s->path.data[s->cursor];
  if (step->node->kind != kind || step->node->address != address || step->node->size != size)
    diverged("an unexpected load of watched memory", site);
  *value = step->value;
  if (++s->cursor == s->path.length)
    access_set_recording(s->recording);
  return true;
}

static void observe(struct memo_node *n, enum memo_kind kind, uintptr_t address, int size,
                    const struct abi_site *site) {
  n->kind = (uint8_t)kind;
  n->size = (uint8_t)size;
  n->address = address;
  n->site = site;
  n->code = site || kind != MEMO_LOAD ? 0 : program_caller();
  n->events_begin = search.events_mark;
  n->events_end = search.events_mark = (uint32_t)search.history.events.length;
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
static size_t answers(struct line *l, int offset, int size) {
  candidate_list *all = &search.history.candidates;
  size_t first = all->length, n = first + 1;
  int where;
  memory_candidates(&search.memory, l, offset, size, all);
  for (size_t i = n; i < all->length; i++)
    if (adjacent(&all->data[n - 1], &all->data[i], &where))
      all->data[n - 1].refinements[where].interval.low = all->data[i].refinements[where].interval.low;
    else
      all->data[n++] = all->data[i];
  all->length = n;
  return first;
}

uint64_t search_observe_load(struct space_line *l, uintptr_t address, int size,
                             const struct abi_site *site) {
  struct search *s = &search;
  uint64_t value;
  if (replayed(MEMO_LOAD, address, size, site, &value))
    return value;
  struct memo_node *n = s->at;
  observe(n, MEMO_LOAD, address, size, site);
  n->line = &l->line;
  int offset = (int)(address - l->line.address);
  if (!memory_certain(&s->memory, &l->line, offset, size, &value)) {
    size_t first = answers(&l->line, offset, size);
    /* A replay must take the branch it was told; a search comes back for the others. */
    size_t count = s->history.candidates.length - first;
    size_t taken = count > 1 ? choice_preview(&s->history.choices, (uint32_t)count) : 0;
    value = s->history.candidates.data[first + taken].value;
    memory_choose(&s->memory, &l->line, &s->history.candidates.data[first + taken]);
    s->history.candidates.length = first;
  }
  s->at = memo_follow(n, value);
  return value;
}

bool search_fails_at(uint32_t point) {
  const struct choices *c = &search.history.choices;
  int level = search.level;
  for (size_t i = 0; c->replaying && i < c->forced.length; i++)
    if (c->forced.data[i].kind == CHOICE_FAILURE && level-- == 0)
      return c->forced.data[i].taken == point;
  return false;
}

bool search_failures_observable(void) {
  return search.level == 0 || search.asked_failures;
}

uint64_t search_observe_fact(enum memo_fact fact, uint64_t value) {
  uint64_t before;
  if (search.level == 0)
    return value; /* nothing is uncertain yet */
  search.asked_failures = true;
  if (replayed(MEMO_FACT, fact, 0, NULL, &before))
    return before;
  observe(search.at, MEMO_FACT, fact, 0, NULL);
  search.at = memo_follow(search.at, value);
  return value;
}

bool search_replay_cut_short(void) {
  return search.cursor < search.path.length;
}

void search_checksum_begin(void) {
  struct search *s = &search;
  if (s->level > 0)
    s->checksum = s->cursor < s->path.length ? s->path.data[s->cursor].node : s->at;
}

void search_checksum_end(bool valid) {
  struct search *s = &search;
  struct memo_node *begin = s->checksum;
  uint64_t before;
  s->checksum = NULL;
  if (!begin)
    return;
  if (replayed(MEMO_CHECKSUM, 0, 0, NULL, &before)) {
    if (before != valid)
      diverged("a different result of a checksum validation", NULL);
    return;
  }
  struct memo_node *n = s->at;
  observe(n, MEMO_CHECKSUM, 0, 0, NULL);
  if (!valid && begin->after_invalid) {
    memo_join(n, 0, begin->after_invalid);
    s->at = NULL;
    stop_with(STOP_KNOWN, NULL, "goes on as an earlier execution did");
  }
  s->at = memo_follow(n, valid);
  if (!valid)
    begin->after_invalid = s->at;
}

/* Run the program along the path to `from` and, if nobody has been there, beyond. */
static void run_program(int level, struct memo_node *from) {
  struct search *s = &search;
  bool again = from->kind != MEMO_UNEXECUTED;
  s->level = level;
  memo_path_to(from, &s->path);
  s->cursor = 0;
  s->at = from;
  s->checksum = NULL;
  s->asked_failures = false;
  s->events_mark = (uint32_t)s->history.events.length;
  s->recording = !again && events_matter(level);
  access_set_recording(s->path.length == 0 && s->recording);
  size_t mark = memory_mark(&s->memory);
  choice_preview_begin(&s->history.choices);
  uint32_t result = s->execute(level);
  memory_undo(&s->memory, mark);
  s->program_runs++;
  if (!s->at || again)
    return; /* joined what is known, or repeated it */
  observe(s->at, MEMO_END, 0, 0, NULL);
  s->at->result = result;
}

/* ---- walking what is known ---- */

static void explore(int level, struct memo_node *root);

static const char *const flush_names[] = {"clflush", "clflushopt", "clwb"};
static const char *const fence_names[] = {"mfence", "sfence", "lfence", "a locked instruction"};

/* A failure point is recorded between the operation that caused it and its effect. */
static struct history_failure describe_point(uint32_t event, uint32_t which) {
  const struct event *point = &search.history.events.data[event];
  struct history_failure f = {.machine = -1, .point = which, .event = event};
  f.site = point->site;
  f.code = point->code;
  f.frames = search.history.frames.data[point->detail];
  f.before = "a store";
  if (!point->site && !point->code)
    f.before = "the end of the program";
  else if (event > 0 && point[-1].kind == EVENT_FLUSH)
    f.before = flush_names[point[-1].detail];
  else if (event > 0 && point[-1].kind == EVENT_FENCE)
    f.before = fence_names[point[-1].detail];
  return f;
}

static void fail_here(int level, uint32_t event, uint32_t which) {
  struct search *s = &search;
  if (s->count_eager && level == 0)
    s->eager(s);
  if (!choice_enter(&s->history.choices, CHOICE_FAILURE, which))
    return;
  vec_push(&s->history.failures, describe_point(event, which));
  s->memory.failed |= 1u << level;
  explore(level + 1, s->recovery);
  s->memory.failed &= ~(1u << level);
  s->history.failures.length--;
  choice_close(&s->history.choices);
}

static void apply_store(int level, const struct event *e, uint32_t index) {
  struct store store = {.value = e->value,
                        .event = index,
                        .offset = (uint8_t)(e->address % LINE_BYTES),
                        .size = e->size,
                        .domain = (uint8_t)level};
  memory_append(&search.memory, &space_line(e->address)->line, &store, e->joined);
}

/* Replay what the execution did before its next observation; returns the number of failure points
 * of this execution seen so far. */
static uint32_t apply_events(int level, const struct memo_node *n, uint32_t points) {
  struct search *s = &search;
  if (level == s->failures_max)
    return points;
  for (uint32_t i = n->events_begin; i < n->events_end && !s->stopped(s); i++) {
    const struct event *e = &s->history.events.data[i]; /* the list grows in fail_here */
    if (e->kind == EVENT_STORE || e->kind == EVENT_NT_STORE) {
      apply_store(level, e, i);
    } else if (e->kind == EVENT_PERSIST) {
      struct line *l = &space_line(e->address)->line;
      memory_raise(&s->memory, l, level, l->latest[level] - e->detail);
    } else if (e->kind == EVENT_FAILURE_POINT) {
      s->failure_points += level == 0;
      fail_here(level, i, points++);
    }
  }
  return points;
}

/* Answer the newest load as its choice says. */
static struct memo_node *take(void) {
  struct search *s = &search;
  struct memo_node *n = vec_last(&s->branches).node;
  const struct history_read *r = &vec_last(&s->history.reads);
  const struct candidate *c = &s->history.candidates.data[r->first + r->taken];
  memory_choose(&s->memory, n->line, c);
  return memo_follow(n, c->value);
}

static struct memo_node *follow_load(int level, struct memo_node *n, uint32_t points) {
  struct search *s = &search;
  struct line *l = n->line;
  int offset = (int)(n->address - l->address);
  uint64_t value;
  if (memory_certain(&s->memory, l, offset, n->size, &value))
    return memo_follow(n, value);
  struct history_read r = {.address = n->address,
                           .size = n->size,
                           .execution = level,
                           .site = n->site,
                           .code = n->code,
                           .first = answers(l, offset, n->size)};
  r.count = s->history.candidates.length - r.first;
  if (r.count == 1) {
    value = s->history.candidates.data[r.first].value;
    s->history.candidates.length = r.first;
    return memo_follow(n, value);
  }
  r.taken = choice_open(&s->history.choices, CHOICE_READ, (uint32_t)r.count);
  vec_push(&s->history.reads, r);
  vec_push(&s->branches, ((struct search_branch){n, memory_mark(&s->memory), points}));
  return take();
}

static bool over(void) {
  return search.history.choices.diverged || search.stopped(&search);
}

/* Forget the newest load with several answers. */
static void drop_branch(void) {
  struct search *s = &search;
  s->history.candidates.length = vec_last(&s->history.reads).first;
  s->history.reads.length--;
  s->branches.length--;
}

/* The next branch of the newest load that has one left, or NULL. */
static struct memo_node *backtrack(size_t bottom, uint32_t *points) {
  struct search *s = &search;
  while (s->branches.length > bottom && !over()) {
    struct search_branch *b = &vec_last(&s->branches);
    memory_undo(&s->memory, b->mark);
    if (choice_next(&s->history.choices)) {
      vec_last(&s->history.reads).taken++;
      *points = b->failure_points_seen;
      return take();
    }
    drop_branch();
  }
  return NULL;
}

static void explore(int level, struct memo_node *root) {
  struct search *s = &search;
  size_t mark = memory_mark(&s->memory), bottom = s->branches.length;
  uint32_t points = 0;
  for (struct memo_node *n = root; n && !over();) {
    if (n->kind == MEMO_UNEXECUTED || (n->kind == MEMO_END && !s->share && level > 0))
      run_program(level, n);
    points = apply_events(level, n, points);
    switch ((enum memo_kind)n->kind) {
    case MEMO_LOAD:
      n = follow_load(level, n, points);
      break;
    case MEMO_FACT:
      n = memo_follow(n, (uint64_t)level);
      break;
    case MEMO_CHECKSUM:
      n = n->edges->to; /* determined by the loads before it */
      break;
    case MEMO_END:
    case MEMO_UNEXECUTED:
      if (!over() && choice_complete(&s->history.choices)) {
        s->executions++;
        s->finished(n->result);
      }
      n = backtrack(bottom, &points);
    }
  }
  for (; s->branches.length > bottom; drop_branch()) /* stopped early */
    choice_close(&s->history.choices);
  memory_undo(&s->memory, mark);
}

void search_run(void) {
  struct search *s = &search;
  s->initial = memo_create();
  s->recovery = memo_create();
  explore(0, s->initial);
}
