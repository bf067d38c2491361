/* The cxl search's side of a program run: the door, on the asking thread's fiber. */
#include "access/access.h"
#include "process/program.h"
#include "search/cluster_internal.h"
#include "search/standstill.h"
#include "search/survivors.h"

/* Pause until the host has decided (cluster.c, decide); it begins with alternative `first`. */
static uint32_t ask(enum choice_kind kind, uint32_t count, uint32_t first) {
  if (access_is_endless()) /* the others were tried where it was the same */
    return first;
  now.asked = true;
  now.kind = kind;
  now.count = count;
  now.first = first;
  thread_pause();
  return now.answer;
}

/* An alternative out of `count`; the others are explored later. */
static uint32_t choose(enum choice_kind kind, uint32_t count) {
  return count <= 1 ? 0 : ask(kind, count, 0);
}

void cluster_lose(const struct history_failure *f) {
  vec_push(&cluster.history.failures, *f);
  if (thread_holds_mutexes(f->machine)) /* their next owners are told */
    cxl.state.released |= (uint16_t)(1u << f->machine);
  cxl_lose(f->machine);
}

/* The call stack of another machine's first thread that has not ended; false: there is none. */
static bool frames_of_machine(int machine, struct event_frames *out) {
  for (int id = 0; id < thread_count(); id++) {
    const struct thread *t = thread_by_id(id);
    if (!t || t->machine != machine || t->state == THREAD_DONE)
      continue;
    program_frames_of(&t->fiber, out);
    return true;
  }
  return false;
}

/* Not inlined: the numbers of the search that it handles would be left on the thread's stack, which is compared as part
 * of its state. */
static __attribute__((noinline)) void note_failure(const struct door_failure *f) {
  now.points++;
  now.failure = (struct history_failure){.machine = f->machine,
                                         .point = now.points,
                                         .event = (uint32_t)cluster.history.events.length,
                                         .before = f->before,
                                         .site = f->site,
                                         .code = f->site ? 0 : program_caller()};
  program_frames(&now.failure.frames);
  if (f->machine != thread_current()->machine)
    now.failure.ended = !frames_of_machine(f->machine, &now.failure.own);
}

static enum door_fate fail(const struct door_failure *f) {
  note_failure(f);
  thread_round_turn();
  access_scrub_if_compared();
  if (!choose(CHOICE_MACHINE, 2))
    return DOOR_GOES_ON;
  if (cluster.history.choices.replaying)
    tidemark_debug_failure();
  if (survivors_running())
    return DOOR_HAS_FAILED;
  cluster_lose(&now.failure);
  return DOOR_HAS_FAILED;
}

/* By the rule of the CXLMC paper a machine may fail once it is known that one of its stores would be read, and then
 * another store is.  There, analyses are told of the load when it is over (loaded). */
static void note_answer(const struct line *l, uintptr_t address, int size,
                        const struct abi_site *site, const struct candidate *taken) {
  bool is_last = cxl_settled() && !cxl.options.poison;
  if (!cxl.options.paper_coherence || is_last)
    cluster_note_load(l, address, size, site, taken);
}

/* door.read: a choice between the answers; the one taken refines the line. */
static uint64_t read_bytes(struct line *l, uintptr_t address, int size,
                           const struct abi_site *site) {
  struct history *h = &cluster.history;
  int offset = (int)(address - l->address);
  uint64_t value;
  if (memory_certain(&cxl.memory, l, offset, size, &value)) {
    note_answer(l, address, size, site, NULL);
    return value;
  }
  struct history_read r = {.address = address,
                           .size = size,
                           .execution = (int)h->failures.length,
                           .site = site,
                           .code = site ? 0 : program_caller(),
                           .first = walk_answers(&cluster_walk, l, offset, size)};
  r.count = h->candidates.length - r.first;
  if (r.count == 1) { /* several stores of one value */
    value = h->candidates.data[r.first].value;
    h->candidates.length = r.first;
    cluster_note_answers(l, &r, NULL);
    note_answer(l, address, size, site, NULL);
    return value;
  }
  vec_push(&h->reads, r);
  now.line = l;
  choose(CHOICE_READ, (uint32_t)r.count);
  const struct history_read *taken = &vec_last(&h->reads);
  const struct candidate *c = &h->candidates.data[taken->first + taken->taken];
  note_answer(l, address, size, site, c);
  memory_choose(&cxl.memory, l, c);
  return c->value;
}

/* ---- schedules ---- */

bool cluster_sleeps(void) {
  return cluster.strategy.kind == STRATEGY_ALL && !cluster.history.choices.replaying;
}

static uint32_t pick(const struct operation *options, uint32_t count) {
  uint32_t first = 0;
  if (strategy_samples(&cluster.strategy))
    first = strategy_pick(&cluster.strategy, &now.picks, options, count);
  else if (cluster_sleeps())
    first = sleep_first_awake(&now.sleep, options, count, 0);
  if (first == count)
    stop_with(STOP_KNOWN, NULL, "every way to go on was tried in another order");
  now.options = options;
  return ask(CHOICE_SCHEDULE, count, first);
}

static void note(const struct operation *o) {
  (void)o;
}

static uint64_t where(void) {
  return now.where;
}

/* ---- analyses ---- */

static void loaded(const struct line *l, uintptr_t address, int size, const struct abi_site *site) {
  cluster_note_load(l, address, size, site, NULL);
}

void cluster_checksum_begin(void) {
  thread_current()->ignores++;
}

void cluster_checksum_end(bool valid) {
  (void)valid;
  if (thread_current()->ignores > 0)
    thread_current()->ignores--;
}

static const struct door cluster_door = {.read = read_bytes,
                                         .fail = fail,
                                         .choose = choose,
                                         .pick = pick,
                                         .note = note,
                                         .where = where,
                                         .steps = standstill_step};
static const struct door cluster_door_analysed = {.read = read_bytes,
                                                  .fail = fail,
                                                  .choose = choose,
                                                  .pick = pick,
                                                  .note = note,
                                                  .where = where,
                                                  .steps = standstill_step,
                                                  .loaded = loaded,
                                                  .fetched = cluster_note_fetch,
                                                  .checksum_begin = cluster_checksum_begin,
                                                  .checksum_end = cluster_checksum_end};

void cluster_open_door(void) {
  door = cluster.analyses ? &cluster_door_analysed : &cluster_door;
}
