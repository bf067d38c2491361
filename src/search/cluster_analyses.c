/* Telling the analyses what happens along the execution under way of a cxl search. */
#include "access/access.h"
#include "process/program.h"
#include "search/cluster_internal.h"
#include "thread/thread.h"

/* Events are handed to the analyses only when something is asked about them; each is one step of the trace. */
static void catch_up(void) {
  struct history *h = &cluster.history;
  while (h->trace.steps.length < h->events.length) {
    struct trace_step step = {.event = (uint32_t)h->trace.steps.length};
    vec_push(&h->trace.steps, step);
    analyses_step(cluster.analyses);
  }
}

/* A load by the running thread. */
static struct analysis_load describe(const struct line *l, uintptr_t address, int size,
                                     const struct abi_site *site, uintptr_t code) {
  const struct thread *t = thread_current();
  return (struct analysis_load){.line = l,
                                .address = address,
                                .size = size,
                                .level = (int)cluster.history.failures.length,
                                .site = site,
                                .code = code,
                                .thread = t->id,
                                .machine = t->machine,
                                .ignored = t->ignores > 0};
}

void cluster_note_load(const struct line *l, uintptr_t address, int size,
                       const struct abi_site *site, const struct candidate *taken) {
  if (!cluster.analyses)
    return;
  catch_up();
  struct analysis_load load = describe(l, address, size, site, site ? 0 : program_caller());
  analyses_load(cluster.analyses, &cxl.memory, &load, taken);
}

/* Each answer is looked at as if it had been taken: what is found names it.  `choice` is the one
 * between them, NULL if their values are the same. */
static void look_at_answers(const struct analysis_load *load, struct choice *choice) {
  struct history *h = &cluster.history;
  const struct walk *w = &cluster_walk;
  struct history_read *r = choice ? &vec_last(&h->reads) : NULL;
  uint32_t taken = choice ? choice->taken : 0, taken_before = r ? r->taken : 0;
  for (size_t i = 0; i < w->raw.length; i++) {
    uint32_t answer = w->answer_of.data[i];
    if (h->choices.replaying && answer != taken)
      continue;
    if (choice)
      choice->taken = r->taken = answer;
    analyses_candidates(cluster.analyses, &cxl.memory, load, &w->raw.data[i], 1);
  }
  if (!choice)
    return;
  choice->taken = taken;
  r->taken = taken_before;
}

void cluster_note_answers(const struct line *l, const struct history_read *r,
                          struct choice *choice) {
  if (!cluster.analyses)
    return;
  catch_up();
  struct analysis_load load = describe(l, r->address, r->size, r->site, r->code);
  look_at_answers(&load, choice);
}

/* Has another live machine stored to the line? */
static bool others_stored(const struct line *l) {
  for (int m = 0; m < cxl.options.machines; m++)
    if (m != thread_current()->machine && l->latest[m] && !cxl_failed(m))
      return true;
  return false;
}

void cluster_note_fetch(const struct line *l, uint32_t position, const struct abi_site *site) {
  if (!cluster.analyses->races_wanted || cxl_settled() || !others_stored(l))
    return;
  catch_up();
  if (race_fetch_is_news(cluster.analyses, l->address, thread_current()->id))
    access_note_fetch(l->address, position, site);
}

/* ---- what is kept with lines, for whoever recalls what came of them ---- */

static void note_whole(const struct line *l, uint32_t step) {
  memory_note_whole(&cxl.memory, &space_line(l->address)->line, MEMORY_WHOLE(step));
}

static void note_torn(const struct line *l, uint32_t step) {
  memory_note_whole(&cxl.memory, &space_line(l->address)->line, MEMORY_TORN(step));
}

static uint32_t told_in(const struct line *l) {
  struct analyses *a = cluster.analyses;
  return race_line_is_silent(a, l) ? 0 : 2 * a->race.walk + !race_line_settled(a, l);
}

static const struct line *line_at(uintptr_t address) {
  return &space_line(address)->line;
}

void cluster_watch(void) {
  struct analyses *a = cluster.analyses;
  if (!a)
    return;
  a->line_at = line_at;
  if (!a->races_wanted || !cluster.share || !cluster.recall)
    return;
  cxl.memory.told_in = told_in;
  a->whole = note_whole;
  a->torn = note_torn;
}

uint32_t cluster_failed_at(int machine) {
  const struct history *h = &cluster.history;
  for (size_t i = 0; i < h->failures.length; i++)
    if (h->failures.data[i].machine == machine)
      return h->failures.data[i].event;
  return TRACE_NONE;
}

struct analyses_mark cluster_analyses_mark(void) {
  if (!cluster.analyses)
    return (struct analyses_mark){0};
  catch_up();
  return analyses_mark(cluster.analyses);
}

void cluster_analyses_undo(const struct analyses_mark *m, size_t events) {
  if (!cluster.analyses)
    return;
  cluster.history.trace.steps.length = events;
  analyses_undo(cluster.analyses, m);
}

/* ---- after the last failure ---- */

void cluster_walk_begins(void) {
  if (!cluster.analyses || !cluster.analyses->races_wanted)
    return;
  catch_up();
  race_walk_begins(cluster.analyses);
}

void cluster_walk_ends(void) {
  if (cluster.analyses)
    race_walk_ends(cluster.analyses);
}

/* The trie does not say which survivor makes a load.  All of them live to the end, so it does not matter: take the
 * first.  Threads 0, 1, ... are the main threads of the machines. */
static int reader(void) {
  int machine = 0;
  while (cxl_failed(machine))
    machine++;
  return machine;
}

static struct analysis_load describe_shared(const struct memo_load *n) {
  struct analysis_load l = {.line = n->line,
                            .address = n->address,
                            .size = n->size,
                            .level = (int)cluster.history.failures.length,
                            .site = n->site,
                            .code = n->code,
                            .ignored = n->ignored};
  l.thread = l.machine = reader();
  return l;
}

static bool is_robust(const struct analyses *a) {
  return a->robustness_wanted && !a->robustness.violated;
}

void cluster_note_shared_load(const struct memo_load *n, const struct candidate *taken) {
  struct analyses *a = cluster.analyses;
  if (!a || (!is_robust(a) && (!a->races_wanted || race_line_is_silent(a, n->line))))
    return;
  struct analysis_load l = describe_shared(n);
  analyses_load(a, &cxl.memory, &l, taken);
}

/* Is the race analysis told nothing by loads of these lines? */
static bool is_silent(struct analyses *a, struct memo_lines *x) {
  if (x->walk == a->race.walk)
    return !x->tells;
  x->walk = a->race.walk;
  x->tells = false;
  for (uint32_t i = 0; i < x->count && !x->tells; i++)
    x->tells = !race_line_is_silent(a, x->at[i].line);
  return !x->tells;
}

/* The newest stores that loads of the part read go to x->newest.  False: there are more than MEMO_NEWEST, or some load
 * has to be told by itself. */
static bool find_newest(const struct memo_chain *part, struct memo_lines *x) {
  for (int i = 0; i < MEMO_NEWEST; i++)
    x->newest[i] = TRACE_NONE;
  for (uint32_t i = 0; i < part->length; i++) {
    const struct memo_load *l = &part->loads[i];
    if (!l->peeks && (l->ignored || !machines_newest(cluster.analyses, &cxl.memory, l->line,
                                                     l->address, l->size, x->newest, MEMO_NEWEST)))
      return false;
  }
  return true;
}

/* Robustness learns nothing from loads of stores that are known; as long as it does, it is told of each. */
bool cluster_may_skim(const struct memo_chain *part) {
  struct analyses *a = cluster.analyses;
  struct memo_lines *x = part->lines;
  if (!a || analyses_done(a))
    return true;
  if (a->races_wanted && !is_silent(a, x))
    return false;
  if (!is_robust(a))
    return true;
  if (x->together == MEMO_UNKNOWN)
    x->together = find_newest(part, x) ? MEMO_TOGETHER : MEMO_ONE_BY_ONE;
  return x->together == MEMO_TOGETHER && machines_know(a, reader(), x->newest, MEMO_NEWEST);
}

void cluster_note_shared_answers(const struct memo_load *n, struct choice *choice) {
  if (!cluster.analyses || analyses_done(cluster.analyses))
    return;
  struct analysis_load l = describe_shared(n);
  look_at_answers(&l, choice);
}
