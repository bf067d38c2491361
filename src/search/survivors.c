#include "search/survivors.h"
#include "access/access.h"
#include "base/check.h"
#include "base/intern.h"
#include "base/str.h"
#include "explore/memo.h"
#include "process/machine_state.h"
#include "process/program.h"
#include "search/cluster_internal.h"
#include "search/merge.h"
#include "search/record.h"
#include <string.h>

/* How a run of the survivors ended. */
struct ending {
  VEC(uint32_t) verdicts; /* of the machines that ended before the last one */
  struct stop last;
  char *said; /* what was added to the outcome */
  bool has_outcome;
};

/* Where survivors stood. */
struct standing {
  struct memo_node *root;
  cxl_line_set lines; /* of its loads, if they are wanted */
  bool leads_away;    /* an observed value may be a pointer to memory of the failed machine */
};

/* What is interned as the number of a place, and then the world without the machines that are gone. */
struct position {
  uint64_t gone;      /* bit for each machine, with the one that fails */
  uint64_t own_count; /* not 0: the place is like no other */
  uint64_t has_outcome;
  uint64_t allocated[MACHINES_MAX];
};

static struct {
  struct intern positions;
  uint32_t forgotten;          /* so many numbers of places are not used any more */
  VEC(struct standing) places; /* by number, from there on; the first is not used */
  uint64_t own_count;
  VEC(uint32_t) kept; /* places with a trie */
  VEC(struct ending) endings;
  VEC(uint32_t) unused_endings;
  size_t bytes_before;             /* that were in use when nothing was kept */
  VEC(struct analyses_mark) marks; /* of the walk */
  /* The run under way. */
  bool running;
  bool unchained; /* the next load gets a node of its own */
  struct record record;
  struct merge merge;
  uint32_t place;
  const struct checkpoint *checkpoint; /* the failure that is explored */
  uint64_t ends;                       /* of the walk under way */
  struct intern besides;               /* what analyses know */
} known;

bool survivors_running(void) {
  return known.running;
}

bool survivors_shared(const struct checkpoint *c) {
  int left = cxl.options.failures_max - __builtin_popcount(c->state.model.failed);
  return cluster.share && !c->alone && c->kind == CHOICE_MACHINE && left == 1;
}

/* What the survivors will not look at. */
static void add_gaps(world_gap_list *gaps, uint32_t gone) {
  bool in_place = gone >> thread_current()->machine & 1;
  gaps->length = 0;
  world_add_machine_gaps(gaps, gone, in_place);
  machine_state_add_gaps(gaps, gone);
  thread_add_gaps(gaps, gone, gone & ~(uint32_t)cxl.state.failed);
  access_add_gaps(gaps, gone);
}

bool survivors_put_world(const struct world_snapshot *world, uint32_t gone, struct str *out) {
  static world_gap_list gaps;
  thread_put_ready(out, gone);
  add_gaps(&gaps, cxl.reads_private ? 0 : gone);
  return world_put_rest(world, &gaps, out);
}

uint32_t survivors_place(int failing, const struct world_snapshot *world) {
  static struct str key;
  uint32_t gone = cxl.state.failed | 1u << failing;
  struct position p = {.gone = gone, .has_outcome = outcome_text() != NULL};
  for (int m = 0; m < cxl.options.machines; m++)
    if (!(gone >> m & 1))
      p.allocated[m] = cxl.state.allocated[m];
  str_clear(&key);
  str_append_bytes(&key, &p, sizeof p);
  if (!survivors_put_world(world, gone, &key)) {
    p.own_count = ++known.own_count;
    str_clear(&key);
    str_append_bytes(&key, &p, sizeof p);
  }
  uint32_t number = intern(&known.positions, str_text(&key), key.length);
  while (known.places.length <= number)
    vec_push(&known.places, (struct standing){0});
  return known.forgotten + number;
}

static void forget_ending(struct walk *w, struct memo_node *n) {
  struct ending *e = &known.endings.data[n->result];
  (void)w;
  merge_forget(&known.merge, n);
  if (n->kind != MEMO_END)
    return;
  mem_free(e->said, strlen(e->said) + 1);
  vec_free(&e->verdicts);
  vec_push(&known.unused_endings, n->result);
}

/* The place with that number; NULL: it was forgotten. */
static struct standing *standing_of(uint32_t number) {
  return number > known.forgotten ? &known.places.data[number - known.forgotten] : NULL;
}

static void forget_trie(struct standing *p) {
  walk_drop(&cluster_walk, p->root);
  vec_free(&p->lines);
  p->root = NULL;
  p->leads_away = false;
}

/* Everything that is known.  Numbers of places that somebody has are not used again. */
static void forget_all(void) {
  while (known.kept.length)
    forget_trie(standing_of(vec_pop(&known.kept)));
  known.forgotten += (uint32_t)known.positions.items.length;
  vec_free(&known.places);
  intern_free(&known.positions);
  fate_forget(); /* its states have numbers of the world, too */
  world_forget_rests();
  memo_free_chains(&known.record.chains);
  merge_clear(&known.merge);
  intern_free(&known.besides);
  recall_clear(&cluster_walk.recall);
  known.bytes_before = mem_used_bytes();
}

/* More than may be kept: nobody holds a part of it between two walks. */
static void keep_within_limit(void) {
  size_t now = mem_used_bytes();
  if (now > known.bytes_before && now - known.bytes_before > cluster.memory_max)
    forget_all();
}

/* The place, with a trie.  One that was forgotten gets a new number. */
static struct standing *place_of(uint32_t *number) {
  struct standing *p = standing_of(*number);
  if (!p) {
    struct position own = {.own_count = ++known.own_count};
    *number = known.forgotten + intern(&known.positions, &own, sizeof own);
    while (known.places.length <= *number - known.forgotten)
      vec_push(&known.places, (struct standing){0});
    p = standing_of(*number);
  }
  if (p->root && !p->leads_away)
    return p;
  if (p->root)
    forget_trie(p);
  else
    vec_push(&known.kept, *number);
  p->root = memo_create();
  return p;
}

static uint32_t new_ending(const struct ending *e) {
  if (!known.unused_endings.length) {
    vec_push(&known.endings, *e);
    return (uint32_t)known.endings.length - 1;
  }
  uint32_t number = vec_pop(&known.unused_endings);
  known.endings.data[number] = *e;
  return number;
}

/* A survivor that gets an address in private memory of a failed machine from shared memory may look at what
 * was there, which no observation tells. */
static void note_value(uint64_t value) {
  if (cxl_is_private(value, ~(uint32_t)cxl.state.failed))
    standing_of(known.place)->leads_away = true;
}

/* ---- while the program runs ---- */

/* Chains of loads are compared as bytes. */
static void init_load(struct memo_load *x, struct line *l, uintptr_t address, int size,
                      bool peeks) {
  memset(x, 0, sizeof *x);
  x->address = address;
  x->size = (uint8_t)size;
  x->line = l;
  x->peeks = peeks;
}

/* A new load: its answer, and where that leads. */
static uint64_t observe_load(struct line *l, uintptr_t address, int size,
                             const struct abi_site *site, uintptr_t code, bool ignored) {
  struct record *r = &known.record;
  struct memo_load x;
  init_load(&x, l, address, size, false);
  x.site = site;
  x.code = code;
  x.ignored = ignored;
  int offset = (int)(address - l->address);
  if (memory_certain(&cxl.memory, l, offset, size, &x.value) && !known.unchained) {
    note_value(x.value);
    record_certain(r, &x, 0, 0);
    return x.value;
  }
  struct memo_node *n = record_here(r);
  candidate_list *all = &cluster.history.candidates;
  size_t first = walk_answers(&cluster_walk, l, offset, size);
  x.value = all->data[first].value;
  memory_choose(&cxl.memory, l, &all->data[first]); /* nothing, if there is only one */
  all->length = first;
  n->kind = MEMO_LOAD;
  n->load = x;
  known.unchained = false;
  note_value(x.value);
  r->at = memo_follow(n, x.value);
  return x.value;
}

/* The run comes to a place where it forgot what it had read. */
static void forget_again(struct record *r) {
  if (!merge_is_next(r))
    return;
  thread_settle();
  access_forget();
  record_step(r);
}

/* The answer to a load that was made before. */
static uint64_t replay(uintptr_t address, int size, bool peeks, const struct abi_site *site) {
  const struct memo_load *x = record_load(&known.record);
  if (!x || x->address != address || x->size != size || x->peeks != peeks)
    stop_with(STOP_NONDETERMINISM, site,
              "an unexpected load of shared memory: the same execution did something else before");
  return record_step(&known.record);
}

static uint64_t read_bytes(struct line *l, uintptr_t address, int size,
                           const struct abi_site *site) {
  struct record *r = &known.record;
  forget_again(r);
  merge_leave_for_checkpoint(&known.merge, r, l, address, size, site);
  if (record_is_known(r))
    return replay(address, size, false, site);
  if (merge_wants(&known.merge, &cluster_walk, l, address, size))
    merge_read(&known.merge, l, address, size, site, false);
  return observe_load(l, address, size, site, site ? 0 : program_caller(),
                      thread_current()->ignores > 0);
}

/* What was stored since the newest state, as a number; and that becomes part of memory. */
static uint32_t number_stores(struct merge *m) {
  static struct str bytes;
  str_clear(&bytes);
  cxl_put_stores(&bytes);
  return intern(&m->bytes, str_text(&bytes), bytes.length);
}

static void add_stores(const struct merge *m, uint32_t number) {
  const struct intern_item *x = &m->bytes.items.data[number - 1];
  cxl_add_stores(m->bytes.bytes.data + x->offset, x->length);
}

/* The load that was left: another execution was in this state, or its answer. */
static bool answer_load(void) {
  struct merge *m = &known.merge;
  struct record *r = &known.record;
  struct search_state state;
  struct memo_node *n = record_here(r);
  n->result = number_stores(m);
  struct memo_node *same = merge_find(m, known.place, false, &state);
  n->kind = MEMO_MERGE;
  add_stores(m, n->result);
  if (same && same->state->steps > m->steps) {
    merge_drop(&state);
    memo_join(n, 0, same);
    m->joined++;
    r->at = NULL;
    return false;
  }
  r->at = memo_follow(n, 0);
  if (state.world && !same) {
    merge_keep(m, r->at, &state);
    m->steps = state.steps;
  } else
    merge_drop(&state);
  known.unchained = true; /* its node holds the state */
  uint64_t value = observe_load(m->load.line, m->load.address, m->load.size, m->load.site,
                                m->load.code, m->load.ignored);
  access_answer_load(m->load.line, m->load.address, m->load.size, value);
  return true;
}

bool survivors_asked(void) {
  return known.running && known.merge.asked;
}

bool survivors_answer(void) {
  struct merge *m = &known.merge;
  m->asked = false;
  if (!m->load.again)
    return answer_load();
  merge_checkpoint(m, known.record.path.data[known.record.cursor].node, false);
  uint64_t value = replay(m->load.address, m->load.size, false, m->load.site);
  access_answer_load(m->load.line, m->load.address, m->load.size, value);
  return true;
}

/* What the runtime looks at for itself is an observation with one answer. */
static uint64_t peek(struct line *l, uintptr_t address, int size) {
  struct record *r = &known.record;
  if (record_is_known(r))
    return replay(address, size, true, NULL);
  struct memo_load x;
  init_load(&x, l, address, size, true);
  x.value = memory_newest(&cxl.memory, l, (int)(address - l->address), size);
  record_certain(r, &x, 0, 0);
  return x.value;
}

/* No machine fails any more, and nothing else is in doubt. */
static const struct door survivors_door = {.read = read_bytes,
                                           .checksum_begin = cluster_checksum_begin,
                                           .checksum_end = cluster_checksum_end,
                                           .peek = peek};

/* The verdicts of machines that have ended in this run are part of its state. */
static void put_verdicts(struct str *out) {
  size_t first = known.checkpoint->verdicts;
  str_append_bytes(out, now.verdicts.data + first,
                   (now.verdicts.length - first) * sizeof *now.verdicts.data);
}

static void set_verdicts(const char *bytes, size_t n) {
  now.verdicts.length = known.checkpoint->verdicts;
  for (uint32_t v; n; bytes += sizeof v, n -= sizeof v) {
    memcpy(&v, bytes, sizeof v);
    vec_push(&now.verdicts, v);
  }
}

/* The world as survivors see it. */
static struct world_snapshot *save_world(struct str *out) {
  struct world_snapshot *world = world_save();
  if (survivors_put_world(world, cxl.state.failed, out))
    return world;
  world_drop(world);
  return NULL;
}

/* States of this walk: in others the failed machine stopped elsewhere, and left other private memory. */
static bool can_begin(const struct memo_node *n) {
  return n->state && n->state->walk == known.merge.walk;
}

/* Runs of a look ahead are left to the search, and joined as its own are; while somebody analyses them, whether they are
 * recalled or not. */
static bool joins(void) {
  const struct recall *r = &cluster_walk.recall;
  bool ahead = cluster.scout.on && cluster.recall && (r->pays || cluster.scout.ends >= r->after);
  bool many = cluster.analyses && known.ends >= cluster.recall_after;
  return known.merge.allowed && (r->on || ahead || many);
}

/* At the failure, or at a state on the way to n. */
static void begin_run(struct memo_node *n) {
  const struct checkpoint *c = known.checkpoint;
  struct merge *m = &known.merge;
  bool on = joins();
  merge_run_begins(m, n, on, on ? MERGE_ON_THE_WAY : MERGE_NONE, c->state.steps);
  m->said = c->outcome;
  const struct memo_node *begin = record_begin(&known.record, n, can_begin);
  known.unchained = false;
  if (begin) {
    merge_restore(m, begin->state);
    access_answer_load(begin->load.line, begin->load.address, begin->load.size,
                       known.record.path.data[0].value);
    return;
  }
  world_restore(c->world);
  now.answer = 1;
}

/* How the run has ended, unless it has joined another one. */
static void note_end(void) {
  const struct checkpoint *c = known.checkpoint;
  struct ending e = {.last = now.last_stop};
  if (!known.record.at)
    return;
  for (size_t i = c->verdicts; i + 1 < now.verdicts.length; i++)
    vec_push(&e.verdicts, now.verdicts.data[i]);
  if (record_is_known(&known.record))
    e.last.kind = STOP_NONDETERMINISM;
  const char *text = outcome_text();
  e.has_outcome = text != NULL;
  e.said = mem_strdup(text ? text + c->outcome.length : "");
  struct memo_node *end = record_here(&known.record);
  end->kind = MEMO_END;
  end->result = new_ending(&e);
}

/* A walk depends on no other lines than those that runs on behalf of its place have consulted. */
static void note_lines(void) {
  cxl_line_set *to = &standing_of(known.place)->lines;
  for (size_t i = 0; i < cxl.consulted.length; i++) {
    if (to->length == i)
      vec_push(to, 0);
    to->data[i] |= cxl.consulted.data[i];
    cxl.consulted.data[i] = 0;
  }
}

/* Run the survivors from the checkpoint along the path to n and beyond; leaves everything on the
 * host as it was. */
static void run_survivors(struct walk *w, struct memo_node *n) {
  (void)w;
  struct state state = cluster_state();
  struct cxl_mark mark = cxl_mark();
  size_t events = cluster.history.events.length, verdicts = now.verdicts.length;
  known.running = true;
  begin_run(n);
  door = &survivors_door;
  cxl.stores_apart = known.merge.allowed;
  cluster_run_to_end();
  cluster_open_door();
  known.running = access_captures = cxl.stores_apart = false;
  note_lines();
  cluster.program_runs++;
  note_end();
  outcome_truncate(known.checkpoint->outcome);
  cxl_undo(mark);
  cluster.history.events.length = events;
  now.verdicts.length = verdicts;
  cluster_set_state(&state);
}

/* ---- walking what is known ---- */

static bool runs_again(struct walk *w, struct memo_node *n) {
  (void)w, (void)n;
  return false;
}

/* Where survivors forget what they have read, what they have stored becomes part of memory. */
static void arrive(struct walk *w, struct memo_node *n) {
  (void)w;
  if (n->kind == MEMO_MERGE)
    add_stores(&known.merge, n->result);
}

static void answer(struct walk *w, const struct memo_load *l, const struct candidate *taken,
                   uint64_t value) {
  (void)w;
  if (!l->peeks)
    cluster_note_shared_load(l, taken);
  note_value(value);
}

/* Analyses want to hear of each load, until they are done. */
static bool may_skim(struct walk *w, const struct memo_chain *part) {
  (void)w, (void)part;
  return !cluster.analyses || analyses_done(cluster.analyses);
}

static void note_values(struct walk *w, const struct memo_load *l, uint32_t count) {
  (void)w;
  for (uint32_t i = 0; i < count; i++)
    note_value(l[i].value);
}

static void doubt(struct walk *w, const struct memo_load *l, struct choice *choice) {
  (void)w;
  cluster_note_shared_answers(l, choice);
}

static void mark(struct walk *w) {
  (void)w;
  if (cluster.analyses)
    vec_push(&known.marks, cluster_analyses_mark());
}

static void back(struct walk *w) {
  (void)w;
  if (cluster.analyses)
    cluster_analyses_undo(&vec_last(&known.marks), cluster.history.events.length);
}

static void drop(struct walk *w) {
  (void)w;
  known.marks.length -= cluster.analyses != NULL;
}

/* How executions that end like that did: the verdicts of their machines go to now.verdicts. */
static void verdicts_of(const struct ending *e) {
  for (size_t i = 0; i < e->verdicts.length; i++)
    vec_push(&now.verdicts, e->verdicts.data[i]);
  outcome_append(e->said, e->has_outcome);
  vec_push(&now.verdicts, cluster.verdict(&e->last, true));
  outcome_truncate(known.checkpoint->outcome);
}

static void ended(struct walk *w, struct memo_node *n) {
  size_t before = now.verdicts.length;
  (void)w;
  known.ends++;
  verdicts_of(&known.endings.data[n->result]);
  if (!cluster_glimpse() && choice_complete(&cluster.history.choices)) {
    cluster.executions++;
    cluster.finished(now.verdicts.data, now.verdicts.length);
    fate_count(NULL);
  }
  now.verdicts.length = before;
}

/* Results of a tally are ends, or findings of analyses. */
#define REPORTED (UINT32_C(1) << 31)

uint32_t cluster_report_result(uint32_t verdict) {
  return REPORTED | verdict;
}

static bool take_one(const struct tally_item *t, bool counts) {
  size_t before = now.verdicts.length, first = t->result & REPORTED ? before : 0;
  if (t->result & REPORTED)
    vec_push(&now.verdicts, t->result & ~REPORTED);
  else
    verdicts_of(&known.endings.data[t->result]);
  const uint32_t *verdicts = now.verdicts.data + first;
  size_t n = now.verdicts.length - first;
  bool can = counts || cluster.known(verdicts, n);
  if (counts)
    cluster.repeated(verdicts, n, &t->count);
  if (counts && !(t->result & REPORTED))
    fate_count(&t->count);
  now.verdicts.length = before;
  return can;
}

static bool take(struct walk *w, const struct tally *t) {
  (void)w;
  for (size_t i = 0; i < t->items.length; i++)
    if (!take_one(&t->items.data[i], false))
      return false;
  for (size_t i = 0; i < t->items.length; i++)
    take_one(&t->items.data[i], true);
  return true;
}

/* As long as an execution is robust, what may be found depends on all that was read. */
static bool is_whole(struct walk *w) {
  const struct analyses *a = cluster.analyses;
  (void)w;
  return !a || !a->robustness_wanted || a->robustness.violated;
}

/* What races know; in another walk other flushes were completed. */
static uint32_t besides(struct walk *w) {
  static struct str bytes;
  (void)w;
  if (!cluster.analyses || analyses_done(cluster.analyses))
    return 0;
  str_clear(&bytes);
  str_append_bytes(&bytes, &known.merge.walk, sizeof known.merge.walk);
  machines_put_state(cluster.analyses, &bytes);
  return intern(&known.besides, str_text(&bytes), bytes.length);
}

static bool over(struct walk *w) {
  (void)w;
  return cluster_over();
}

/* What was read is forgotten. */
static struct memo_node *follow(struct walk *w, struct memo_node *n) {
  (void)w;
  CHECK(n->kind == MEMO_MERGE, "observation %d", n->kind);
  return n->edges->to;
}

static const struct walk_user user = {.run = run_survivors,
                                      .runs_again = runs_again,
                                      .arrive = arrive,
                                      .answer = answer,
                                      .follow = follow,
                                      .is_whole = is_whole,
                                      .besides = besides,
                                      .doubt = doubt,
                                      .may_skim = may_skim,
                                      .skimmed = note_values,
                                      .ended = ended,
                                      .take = take,
                                      .gone = forget_ending,
                                      .over = over,
                                      .mark = mark,
                                      .back = back,
                                      .drop = drop};

void survivors_explore(const struct checkpoint *c) {
  keep_within_limit();
  known.place = c->place;
  struct memo_node *root = place_of(&known.place)->root;
  known.checkpoint = c;
  known.merge.allowed = cluster.merge;
  known.merge.put = put_verdicts;
  known.merge.set = set_verdicts;
  known.merge.save = save_world;
  known.merge.walk++;
  known.ends = 0;
  cluster_walk.user = &user;
  cluster_walk.recalls = cluster.recall && !cluster.scout.on;
  cluster.scout.ends = 0;
  cluster_walk.deviations = cluster_deviations();
  cluster_walk.skims = true;
  cluster_walk.recall.after = cluster.recall_after;
  cluster_lose(&c->failure);
  walk_explore(&cluster_walk, root);
  fate_consult(&standing_of(known.place)->lines);
  cluster_restore(c);
}
