/* The pm search's side of a program run: the door that answers the program's questions, records what it observes, and
 * joins runs that come to the same state. */
#include "access/access.h"
#include "access/bypass.h"
#include "access/schedule.h"
#include "access/space.h"
#include "access/space_tree.h"
#include "access/spin.h"
#include "base/check.h"
#include "base/hash.h"
#include "event/window.h"
#include "process/fiber.h"
#include "process/program.h"
#include "process/world.h"
#include "search/search_internal.h"
#include "search/trace_join.h"
#include "search/traces.h"
#include "thread/thread.h"
#include <string.h>

static _Noreturn void diverged(const char *what, const struct abi_site *site) {
  stop_with(STOP_NONDETERMINISM, site,
            "%s, but the same execution did something else before: the program depends on "
            "something the checker does not control (a clock, an address, uninitialised memory)",
            what);
}

/* Events of a run are recorded if a failure may follow it, now or when its path is walked again after fewer
 * failures. */
static bool events_matter(int level) {
  return level < search.failures_max || (level > 0 && search.failures_max > 1);
}

/* The answer to the next observation, which was recorded earlier. */
static uint64_t next_answer(void) {
  struct search *s = &search;
  uint64_t value = record_step(&s->record);
  if (!record_is_known(&s->record)) {
    s->left = access_steps();
    access_set_recording(s->recording);
  }
  return value;
}

/* Is the next observation one that was recorded earlier?  Then *value is its answer. */
static bool replayed(enum memo_kind kind, uintptr_t address, int size, const struct abi_site *site,
                     uint64_t *value) {
  struct search *s = &search;
  if (!record_is_known(&s->record))
    return false;
  const struct memo_node *n = record_node(&s->record);
  const struct memo_load *x = kind == MEMO_LOAD ? record_load(&s->record) : &n->load;
  bool same = x && (kind == MEMO_LOAD || n->kind == kind);
  if (same && kind == MEMO_SCHEDULE)
    same = n->options_hash == address;
  else if (same)
    same = x->address == address && x->size == size;
  if (!same)
    diverged(kind == MEMO_SCHEDULE ? "an unexpected step of a thread"
                                   : "an unexpected load of watched memory",
             site);
  *value = next_answer();
  s->path_hash = hash_u64(s->path_hash, *value);
  return true;
}

/* door.where */
static uint64_t where(void) {
  return search.path_hash;
}

/* The observation at n has this answer: record what follows behind that edge. */
static void go_on(struct memo_node *n, uint64_t value) {
  CHECK(n->kind != MEMO_CHAIN, "loads in a chain have one answer");
  search.record.at = memo_follow(n, value);
  search.path_hash = hash_u64(search.path_hash, value);
}

/* Make n, which is not executed yet, an observation of that kind; the events since the one before belong to it. */
static void observe(struct memo_node *n, enum memo_kind kind, uintptr_t address, int size,
                    const struct abi_site *site) {
  CHECK(n->kind == MEMO_UNEXECUTED, "observation %d becomes %d", n->kind, kind);
  CHECK(search.events_mark <= search.history.events.length, "events were lost");
  n->kind = (uint8_t)kind;
  bool tells = kind != MEMO_END && (kind != MEMO_FACT || search.failures_max > 1);
  if (search.observed && tells)
    ++*search.observed;
  n->load.size = (uint8_t)size;
  n->load.address = address;
  n->load.site = site;
  n->events_begin = search.events_mark;
  n->events_end = search.events_mark = (uint32_t)search.history.events.length;
}

/* Where the next observation goes. */
static struct memo_node *here(void) {
  return record_here(&search.record);
}

/* A load beyond the known path: record it, and answer it. */
static uint64_t observe_load(struct line *l, uintptr_t address, int size,
                             const struct abi_site *site, uintptr_t code, bool ignored,
                             bool summed) {
  struct search *s = &search;
  struct memo_load x;
  memset(&x, 0, sizeof x);
  x.address = address;
  x.site = site;
  x.code = code;
  x.line = l;
  x.size = (uint8_t)size;
  x.ignored = ignored;
  x.in_checksum = s->checksum != NULL;
  x.summed = summed;
  int offset = (int)(address - l->address);
  memory_settle(&s->memory, l);
  if (memory_certain(&s->memory, l, offset, size, &x.value) && !s->unchained) {
    uint32_t events = (uint32_t)s->history.events.length;
    record_certain(&s->record, &x, s->events_mark, events);
    s->events_mark = events;
    s->path_hash = hash_u64(s->path_hash, x.value);
    return x.value;
  }
  struct memo_node *n = here();
  observe(n, MEMO_LOAD, address, size, site);
  n->load = x;
  s->unchained = false;
  if (!memory_certain(&s->memory, l, offset, size, &x.value)) {
    size_t first = walk_answers_to(&s->walk, &x, &s->sum);
    /* A replay must take the branch it was told; a search comes back for the others. */
    size_t count = s->history.candidates.length - first;
    size_t taken = count > 1 ? choice_preview(&s->history.choices, (uint32_t)count, 0) : 0;
    const struct candidate *c = &s->history.candidates.data[first + taken];
    x.value = c->value;
    if (count > 1 || s->walk.left_out)
      sum_take(&s->sum, l, c);
    memory_choose(&s->memory, l, c);
    s->history.candidates.length = first;
  }
  go_on(n, x.value);
  return x.value;
}

/* A run that is about to forget what it has read has stored what memory holds anyway, whatever was lost.  That counts as
 * read, too, so that it can join one that has not stored it.  It is an observation that memory holds it.  Only where that
 * never was anything else: otherwise it may be so because of what was read, and runs that have read something else and
 * stored the same would not be in the same state any more. */
static void disown(struct line *l, int offset, int size) {
  struct search *s = &search;
  uint64_t value = 0;
  memcpy(&value, (const char *)space_alias(l->address) + offset, (size_t)size);
  if (!memory_never_other(l, offset, size, value) ||
      !memory_holds(&s->memory, l, offset, size, value))
    return;
  struct memo_load x;
  memset(&x, 0, sizeof x);
  x.address = l->address + (uintptr_t)offset;
  x.code = value;
  x.line = l;
  x.value = x.holds = true;
  x.size = (uint8_t)size;
  uint32_t events = (uint32_t)s->history.events.length;
  record_certain(&s->record, &x, s->events_mark, events);
  s->events_mark = events;
  space_disown(x.address, size);
}

/* The bytes that the execution itself has stored, piece by piece, each within an aligned word. */
static void disown_line(struct space_line *l) {
  for (uint64_t own = l->own; own;) {
    int at = __builtin_ctzl(own), in_word = 8 - at % 8;
    uint64_t rest = ~(own >> at);
    int size = rest && __builtin_ctzl(rest) < in_word ? __builtin_ctzl(rest) : in_word;
    disown(&l->line, at, size);
    own &= ~((((uint64_t)1 << size) - 1) << at);
  }
}

/* Of all that was stored since the last such moment.  Not where it matters how often a line was stored to, or that it
 * was; nor if the runtime looks at bytes without a load (peeked). */
static void disown_all(void) {
  struct search *s = &search;
  size_t count;
  if (s->counts || s->analyses || s->peeked || s->memory.open)
    return;
  struct space_line *const *changed = space_tree_changes(&count);
  for (size_t i = 0; i < count; i++)
    disown_line(changed[i]);
}

/* The same, as the run that recorded it did. */
static void disown_again(void) {
  struct search *s = &search;
  while (record_is_known(&s->record)) {
    const struct memo_load *x = record_load(&s->record);
    if (!x || !x->holds)
      return;
    uintptr_t address = x->address;
    int size = x->size;
    if (next_answer())
      space_disown(address, size);
  }
}

/* If the known path has a MEMO_MERGE here, forget what was read, as the run that recorded it did. */
static void forget_again(void) {
  struct search *s = &search;
  disown_again();
  if (!merge_is_next(&s->record))
    return;
  thread_settle();
  access_forget();
  next_answer();
}

/* May a load be left to the host, which takes the state?  Not where several threads follow a trace: how they go on
 * depends on more than the state. */
static bool can_be_left(void) {
  return !schedule.traces || thread_count() == 1;
}

/* door.read */
static uint64_t read_bytes(struct line *l, uintptr_t address, int size,
                           const struct abi_site *site) {
  struct search *s = &search;
  uint64_t value;
  forget_again();
  if (can_be_left())
    merge_leave_for_checkpoint(&s->merge, &s->record, l, address, size, site);
  if (replayed(MEMO_LOAD, address, size, site, &value))
    return value;
  memory_settle(&s->memory, l);
  if (!s->checksum && can_be_left() && merge_wants(&s->merge, &s->walk, l, address, size))
    merge_read(&s->merge, l, address, size, site, false);
  return observe_load(l, address, size, site, site ? 0 : program_caller(),
                      thread_current()->ignores > 0, sum_has(site, bypass_sums()));
}

bool search_resumes(void) {
  return search.resume != NULL;
}

bool search_resumes_at_state(void) {
  return search.resume && search.resume->state->access;
}

void search_resume(void) {
  const struct memo_node *n = search.resume;
  merge_restore(&search.merge, n->state);
  access_answer_load(n->load.line, n->load.address, n->load.size, search.record.path.data[0].value);
}

bool search_answers(struct stop *why) {
  struct search *s = &search;
  struct merge *m = &s->merge;
  if (traces_answer())
    return true;
  if (!m->asked)
    return false;
  m->asked = false;
  if (m->load.again) {
    uint64_t value;
    merge_checkpoint(m, s->record.path.data[s->record.cursor].node, s->counts);
    replayed(MEMO_LOAD, m->load.address, m->load.size, m->load.site, &value);
    access_answer_load(m->load.line, m->load.address, m->load.size, value);
    return true;
  }
  struct search_state state;
  disown_all();
  struct memo_node *n = here();
  struct memo_node *same = merge_find(m, (uint32_t)s->generation, s->counts, &state);
  observe(n, MEMO_MERGE, 0, 0, NULL);
  if (same && same->state->steps > m->steps) {
    merge_drop(&state);
    memo_join(n, 0, same);
    m->joined++;
    s->record.at = NULL;
    *why = (struct stop){.kind = STOP_KNOWN};
    return false;
  }
  s->record.at = memo_follow(n, 0);
  if (state.world && !same) {
    merge_keep(m, s->record.at, &state);
    m->steps = state.steps;
  } else
    merge_drop(&state);
  s->unchained = true; /* its node holds the state */
  uint64_t value = observe_load(m->load.line, m->load.address, m->load.size, m->load.site,
                                m->load.code, m->load.ignored, m->load.summed);
  access_answer_load(m->load.line, m->load.address, m->load.size, value);
  return true;
}

/* door.fail.  In a search the run never fails: failures are explored afterwards, by walking.  In a replay the token
 * says whether it fails here. */
static enum door_fate fail(const struct door_failure *f) {
  (void)f;
  const struct choices *c = &search.history.choices;
  uint32_t point = search.points++;
  int level = search.level;
  for (size_t i = 0; c->replaying && i < c->forced.length; i++)
    if (c->forced.data[i].kind == CHOICE_FAILURE && level-- == 0)
      return c->forced.data[i].taken == point ? DOOR_FAILS : DOOR_GOES_ON;
  return DOOR_GOES_ON;
}

static uint64_t fact(enum door_fact which) {
  uint64_t before, value = (uint64_t)search.level;
  CHECK(search.level > 0, "there is nothing to ask before a failure");
  if (replayed(MEMO_FACT, which, 0, NULL, &before))
    return before;
  struct memo_node *n = here();
  observe(n, MEMO_FACT, which, 0, NULL);
  go_on(n, value);
  return value;
}

/* ---- schedules ---- */

static uint64_t hash_options(const struct operation *options, uint32_t count) {
  uint64_t h = 0;
  for (uint32_t i = 0; i < count; i++) {
    h = hash_u64(h, (uint64_t)options[i].thread << 8 | (uint64_t)options[i].drain << 7 |
                        options[i].kind);
    h = hash_u64(h, options[i].address);
  }
  return h;
}

uint32_t search_first_option(const struct memo_node *n, struct strategy_state *picks,
                             const struct sleep *sleep) {
  if (strategy_samples(&search.strategy))
    return strategy_pick(&search.strategy, picks, n->options, n->option_count);
  if (n->only && search_sleeps() && sleep_has(sleep, &n->options[n->only - 1]))
    return n->option_count;
  if (n->only)
    return n->only - 1;
  return search_sleeps() ? sleep_first_awake(sleep, n->options, n->option_count, 0) : 0;
}

void search_sleep_take(struct sleep *s, const struct memo_node *n, uint32_t taken) {
  if (search_sleeps() && n->only)
    sleep_take_only(s, &n->options[taken]);
  else if (search_sleeps())
    sleep_take(s, n->options, taken);
}

static struct sharing *sharing(void) {
  search.sharing.realm = search.level > 0 ? SHARING_REALM : 0;
  return &search.sharing;
}

/* Are all orders tried, except those that nobody can tell apart? */
static bool explores_states(void) {
  return !strategy_samples(&search.strategy) && !search.history.choices.replaying;
}

/* 1 + the index of an option that no other thread notices (explore/sharing.h): it commutes with whatever the others do,
 * so it is enough to try it first (a persistent set of one).  It must not be a store that a failure could lose, nor
 * persist anything, or states in which a failure can strike would be lost.  0: there is none. */
static uint32_t only_option(const struct operation *options, uint32_t count) {
  if (!explores_states())
    return 0;
  for (uint32_t i = 0; i < count; i++) {
    const struct operation *o = &options[i];
    const struct thread *t = thread_by_id(o->thread);
    bool costs = search.strategy.kind == STRATEGY_BOUNDED && t != thread_current();
    bool can_be_lost = o->kind == OPERATION_WRITE && window_has(o->address);
    if (!o->drain && !costs && !can_be_lost && !access_may_persist(t, o) &&
        sharing_rely(sharing(), o))
      return i + 1;
  }
  return 0;
}

static void note(const struct operation *o) {
  if (sharing_note(sharing(), o) || search.history.choices.replaying)
    return;
  search.restart = true;
  search.record.at = NULL;
  stop_with(STOP_KNOWN, NULL, "another thread touches this as well");
}

/* The execution has ended while other threads could have gone on.  They might have touched what it took to be untouched
 * by others: do not rely on that any more, and start again if the search did. */
static void doubt_others(const struct memo_node *end) {
  bool new = false;
  if (!explores_states())
    return;
  for (const struct memo_node *n = end->parent; n; n = n->parent)
    if (n->kind == MEMO_SCHEDULE && n->only)
      new |= sharing_expect(sharing(), &n->options[n->only - 1]);
  search.restart |= new;
}

static struct memo_node *observe_options(const struct operation *options, uint32_t count,
                                         uintptr_t hash) {
  struct memo_node *n = here();
  observe(n, MEMO_SCHEDULE, hash, 0, NULL);
  n->option_count = count;
  n->options = mem_alloc(count * sizeof *options);
  memcpy(n->options, options, count * sizeof *options);
  return n;
}

/* Only waiting loops are left, which would look again at what has not changed.  This is no end of an execution, but
 * what its threads wait for (traces.waiting) says what else could have happened; that is recorded. */
static uint32_t end_early(void) {
  struct search *s = &search;
  uint64_t before;
  const struct operation *waiting = traces.waiting.data;
  uint32_t count = (uint32_t)traces.waiting.length;
  uintptr_t hash = hash_options(waiting, count);
  if (!replayed(MEMO_SCHEDULE, hash, 0, NULL, &before)) {
    observe_options(waiting, count, hash)->is_end = true;
    s->record.at = NULL;
  }
  if (!fiber_current())
    return DOOR_NOTHING;
  stop_with(STOP_KNOWN, NULL, "a thread looks again later");
}

/* door.pick after the last failure, by traces. */
static uint32_t pick_turn(const struct operation *options, uint32_t count) {
  struct search *s = &search;
  uint64_t before;
  uintptr_t hash = hash_options(options, count);
  const struct memo_node *known = record_is_known(&s->record) ? record_node(&s->record) : NULL;
  bool differs = known && (known->kind != MEMO_SCHEDULE || known->options_hash != hash);
  if (!differs && replayed(MEMO_SCHEDULE, hash, 0, NULL, &before))
    return (uint32_t)before;
  struct memo_node *n = differs ? NULL : observe_options(options, count, hash);
  bool joined = n && trace_join_last_state(n);
  uint32_t taken =
      differs || joined ? DPOR_NOBODY : dpor_preview_pick(&traces.preview, options, count);
  if (differs)
    schedule.unfit = TRACES_UNREPEATED;
  if (taken == DPOR_NOBODY) {
    s->record.at = NULL;
    if (!fiber_current())
      return DOOR_NOTHING;
    stop_with(STOP_KNOWN, NULL, "every way to go on was tried in another order");
  }
  uint32_t process = choice_preview(&s->history.choices, UINT32_MAX, dpor_process(&options[taken]));
  uint32_t wanted = dpor_option_of(options, count, process);
  taken = wanted == DPOR_NOBODY ? taken : wanted;
  dpor_preview_take(&traces.last, &traces.preview, &options[taken]);
  go_on(n, taken);
  return taken;
}

static uint32_t pick(const struct operation *options, uint32_t count) {
  struct search *s = &search;
  if (schedule.traces)
    return count ? pick_turn(options, count) : end_early();
  uint64_t before;
  uintptr_t hash = hash_options(options, count);
  if (replayed(MEMO_SCHEDULE, hash, 0, NULL, &before))
    return (uint32_t)before;
  struct memo_node *n = observe_options(options, count, hash);
  n->runs_after_failure = s->runs_after_failure;
  s->schedules_after_failure |= s->level > 0;
  n->only = only_option(options, count);
  uint32_t first = search_first_option(n, &s->run_picks, &s->run_sleep);
  if (first == count) {
    s->record.at = NULL;
    stop_with(STOP_KNOWN, NULL, "every way to go on was tried in another order");
  }
  uint32_t taken = choice_preview(&s->history.choices, count, first);
  search_sleep_take(&s->run_sleep, n, taken);
  go_on(n, taken);
  return taken;
}

static void waits(const struct operation *o) {
  if (o->lock == OPERATION_LOCK_ACQUIRE)
    vec_push(&traces.waiting, *o);
}

bool search_replay_cut_short(void) {
  return record_is_known(&search.record);
}

static void checksum_begin(void) {
  struct search *s = &search;
  if (s->level > 0)
    s->checksum = record_is_known(&s->record) ? s->record.path.data[s->record.cursor].node : here();
  s->checksum_turns = thread_turns_of(0);
}

static void checksum_end(bool valid) {
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
  struct memo_node *n = here();
  observe(n, MEMO_CHECKSUM, 0, 0, NULL);
  bool alike = s->strategy.kind == STRATEGY_FIXED && s->checksum_turns == thread_turns_of(0);
  if (!valid && alike && begin->after_invalid) {
    memo_join(n, 0, begin->after_invalid);
    s->record.at = NULL;
    stop_with(STOP_KNOWN, NULL, "goes on as an earlier execution did");
  }
  go_on(n, valid);
  if (!valid && alike)
    begin->after_invalid = s->record.at;
}

/* door.peeked: the runtime looks at bytes that are no observation, so a run that has forgotten what it read could
 * differ from the one it was joined with.  From now on nothing is forgotten; if something was, start again. */
static void peeked(uintptr_t address, int size) {
  struct search *s = &search;
  const struct space_line *l = space_line_if_any(address);
  s->peeked |= s->level > 0;
  if (!s->merge.allowed || !fiber_current() || (l && space_is_own(l, address, size)))
    return;
  s->merge.allowed = false;
  if (!s->merge.forgot)
    return;
  s->restart = true;
  s->record.at = NULL;
  stop_with(STOP_KNOWN, NULL, "locks in watched memory are looked at");
}

const struct door search_door = {.read = read_bytes,
                                 .fail = fail,
                                 .fact = fact,
                                 .pick = pick,
                                 .waits = waits,
                                 .note = note,
                                 .happens = traces_happens,
                                 .ordered = traces_ordered,
                                 .where = where,
                                 .checksum_begin = checksum_begin,
                                 .checksum_end = checksum_end,
                                 .peeked = peeked};

static bool has_state(const struct memo_node *n) {
  return n->state != NULL;
}

/* Checkpoints are taken along the known path when a walk has come to so many ends: then many runs begin alike. */
#define CHECKPOINTS_AFTER 8

static enum merge_checkpoints wants_checkpoints(const struct search *s) {
  if (!s->merge.allowed || !s->merges || !s->merge.seeks || !merge_runs_are_long(&s->merge))
    return MERGE_NONE;
  if (s->walk.recall.ends >= CHECKPOINTS_AFTER || s->merge.everywhere)
    return MERGE_ON_THE_WAY;
  return merge_runs_repeat(&s->merge) ? MERGE_WHERE_KNOWN_ENDS : MERGE_NONE;
}

/* Are states compared in the run that begins?  In a look ahead, too, although it is not memoised: the search will pass
 * by the runs it records, and would have to leave the path of one that was not joined at every load. */
static bool joins(const struct search *s) {
  const struct recall *r = &s->walk.recall;
  bool ahead = s->scout.on && s->merges && (r->pays || s->scout.ends >= r->after);
  return s->merge.allowed && (r->on || ahead);
}

/* False: a loop was taken for one that waits and was not (access/spin.h): run again, knowing that. */
static bool run_once(int level, struct memo_node *from) {
  struct search *s = &search;
  bool again = from->kind != MEMO_UNEXECUTED;
  s->level = level;
  s->resume = record_begin(&s->record, from, has_state);
  s->unchained = false;
  s->cut_short = false;
  if (level == 1 && !from->parent)
    s->stateless = !joins(s);
  merge_run_begins(&s->merge, from, joins(s), wants_checkpoints(s), 0);
  s->left = 0;
  s->path_hash = 1 + (uint64_t)level; /* 0 would stay 0 */
  spin_begin();
  s->checksum = NULL;
  s->sum = s->walk.sum;
  s->points = 0;
  s->events_mark = (uint32_t)s->history.events.length;
  s->recording = !again && events_matter(level);
  access_set_recording(!record_is_known(&s->record) && s->recording);
  s->run_picks = s->picks;
  sleep_copy(&s->run_sleep, &s->sleep);
  size_t mark = memory_mark(&s->memory);
  choice_preview_begin(&s->history.choices);
  door = &search_door;
  traces_run_begins();
  trace_join_run_begins();
  schedule_set_traces(traces_follow(level));
  uint32_t result = s->execute(level);
  schedule_set_traces(false);
  if (level > 0)
    merge_run_ends(&s->merge, s->left, access_steps());
  memory_undo(&s->memory, mark);
  s->program_runs++;
  s->runs_after_failure += level > 0;
  if (spin_ended())
    return false;
  if (!s->record.at || again)
    return true; /* joined what is known, or repeated it */
  struct memo_node *end = here();
  observe(end, MEMO_END, 0, 0, NULL);
  end->result = result;
  if (s->cut_short)
    doubt_others(end);
  end->also_count = (uint32_t)traces.also.length;
  if (traces.also.length) {
    end->also = mem_alloc(traces.also.length * sizeof *end->also);
    memcpy(end->also, traces.also.data, traces.also.length * sizeof *end->also);
  }
  end->waiting_count = (uint32_t)traces.waiting.length;
  if (traces.waiting.length) {
    end->waiting = mem_alloc(traces.waiting.length * sizeof *end->waiting);
    memcpy(end->waiting, traces.waiting.data, traces.waiting.length * sizeof *end->waiting);
  }
  return true;
}

void search_run_program(int level, struct memo_node *from) {
  while (!run_once(level, from) && from->kind == MEMO_UNEXECUTED)
    continue;
}
