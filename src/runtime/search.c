#include "runtime/search.h"
#include "base/check.h"
#include "runtime/access.h"

struct search search;

/* ---- while the program runs ---- */

static _Noreturn void diverged(const char *what, const struct abi_site *site) {
  stop_with(STOP_NONDETERMINISM, site,
            "%s, but the same execution did something else before: the program depends on "
            "something the checker does not control (a clock, an address, uninitialised memory)",
            what);
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
    access_set_recording(s->level < s->failures_max);
  return true;
}

static void observe(struct memo_node *n, enum memo_kind kind, uintptr_t address, int size,
                    const struct abi_site *site) {
  n->kind = (uint8_t)kind;
  n->size = (uint8_t)size;
  n->address = address;
  n->site = site;
  n->events_begin = search.events_mark;
  n->events_end = search.events_mark = (uint32_t)search.events.length;
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
    size_t first = s->candidates.length;
    memory_candidates(&s->memory, &l->line, offset, size, &s->candidates);
    /* A replay must take the branch it was told; a search comes back for the others. */
    size_t taken = choice_preview(&s->choices, (uint32_t)(s->candidates.length - first));
    value = s->candidates.data[first + taken].value;
    memory_choose(&s->memory, &l->line, &s->candidates.data[first + taken]);
    s->candidates.length = first;
  }
  s->at = memo_follow(n, value);
  return value;
}

uint64_t search_observe_fact(enum memo_fact fact, uint64_t value) {
  uint64_t before;
  if (replayed(MEMO_FACT, fact, 0, NULL, &before))
    return before;
  observe(search.at, MEMO_FACT, fact, 0, NULL);
  search.at = memo_follow(search.at, value);
  return value;
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

static void run_program(int level, struct memo_node *from) {
  struct search *s = &search;
  s->level = level;
  memo_path_to(from, &s->path);
  s->cursor = 0;
  s->at = from;
  s->checksum = NULL;
  s->events_mark = (uint32_t)s->events.length;
  access_set_recording(s->path.length == 0 && level < s->failures_max);
  size_t mark = memory_mark(&s->memory);
  choice_preview_begin(&s->choices);
  uint32_t result = s->execute(level);
  memory_undo(&s->memory, mark);
  s->program_runs++;
  if (!s->at)
    return; /* joined what is known */
  observe(s->at, MEMO_END, 0, 0, NULL);
  s->at->result = result;
}

/* ---- walking what is known ---- */

static void explore(int level, struct memo_node *root);

static void fail_here(int level, uint32_t event, uint32_t which) {
  struct search *s = &search;
  if (s->count_eager && level == 0)
    s->eager(s);
  if (!choice_enter(&s->choices, CHOICE_FAILURE, which))
    return;
  vec_push(&s->failures, ((struct search_failure){event, which}));
  s->memory.failed |= 1u << level;
  explore(level + 1, s->recovery);
  s->memory.failed &= ~(1u << level);
  s->failures.length--;
  choice_close(&s->choices);
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
    const struct event *e = &s->events.data[i];
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

static struct memo_node *take(struct search_read *r) {
  struct search *s = &search;
  const struct candidate *c = &s->candidates.data[r->first + r->taken];
  memory_choose(&s->memory, r->node->line, c);
  return memo_follow(r->node, c->value);
}

static struct memo_node *follow_load(int level, struct memo_node *n, uint32_t points) {
  struct search *s = &search;
  struct line *l = n->line;
  int offset = (int)(n->address - l->address);
  uint64_t value;
  if (memory_certain(&s->memory, l, offset, n->size, &value))
    return memo_follow(n, value);
  struct search_read r = {.node = n,
                          .level = level,
                          .mark = memory_mark(&s->memory),
                          .first = s->candidates.length,
                          .failure_points_seen = points};
  memory_candidates(&s->memory, l, offset, n->size, &s->candidates);
  r.count = s->candidates.length - r.first;
  r.taken = choice_open(&s->choices, CHOICE_READ, (uint32_t)r.count);
  vec_push(&s->reads, r);
  return take(&vec_last(&s->reads));
}

/* The next branch of the newest load that has one left, or NULL. */
static struct memo_node *backtrack(size_t bottom, uint32_t *points) {
  struct search *s = &search;
  while (s->reads.length > bottom) {
    struct search_read *r = &vec_last(&s->reads);
    memory_undo(&s->memory, r->mark);
    s->candidates.length = r->first + r->count;
    if (!s->stopped(s) && !s->choices.diverged && choice_next(&s->choices)) {
      r->taken++;
      *points = r->failure_points_seen;
      return take(r);
    }
    if (s->stopped(s) || s->choices.diverged)
      choice_close(&s->choices);
    s->candidates.length = r->first;
    s->reads.length--;
  }
  return NULL;
}

static void explore(int level, struct memo_node *root) {
  struct search *s = &search;
  size_t mark = memory_mark(&s->memory), bottom = s->reads.length;
  uint32_t points = 0;
  for (struct memo_node *n = root; n && !s->stopped(s);) {
    if (n->kind == MEMO_UNEXECUTED || (n->kind == MEMO_END && !s->share && level > 0))
      run_program(level, n);
    points = apply_events(level, n, points);
    if (n->kind == MEMO_LOAD) {
      n = follow_load(level, n, points);
    } else if (n->kind == MEMO_FACT) {
      n = memo_follow(n, (uint64_t)level);
    } else if (n->kind == MEMO_CHECKSUM) {
      n = n->edges->to; /* determined by the loads before it */
    } else {
      if (!s->stopped(s) && choice_complete(&s->choices)) {
        s->executions++;
        s->finished(s, n->result);
      }
      n = backtrack(bottom, &points);
    }
  }
  while (s->reads.length > bottom) { /* stopped early */
    s->candidates.length = vec_last(&s->reads).first;
    s->reads.length--;
    choice_close(&s->choices);
  }
  memory_undo(&s->memory, mark);
}

void search_run(void) {
  struct search *s = &search;
  s->initial = memo_create();
  s->recovery = memo_create();
  explore(0, s->initial);
}
