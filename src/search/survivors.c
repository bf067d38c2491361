#include "access/access.h"
#include "analysis/flush.h"
#include "base/check.h"
#include "base/str.h"
#include "process/machine_state.h"
#include "search/standstill.h"
#include "search/survivors_internal.h"
#include <string.h>

struct survivors survivors;

/* The key of a place: this, followed by the world without the machines that are gone. */
struct position {
  uint64_t gone;      /* failed machines, a bit each, with the one that fails now */
  uint64_t own_count; /* not 0: the place is like no other */
  uint64_t has_outcome;
  uint64_t allocated[MACHINES_MAX];
};

bool survivors_running(void) {
  return survivors.running;
}

bool survivors_shared(const struct checkpoint *c) {
  int left = cxl.options.failures_max - __builtin_popcount(c->state.model.failed);
  return cluster.share && !c->alone && c->kind == CHOICE_MACHINE && left == 1;
}

/* Parts of the world that survivors do not look at, because they belong to machines that are gone. */
static void add_gaps(world_gap_list *gaps, uint32_t gone, bool anew) {
  bool in_place = gone >> thread_current()->machine & 1;
  gaps->length = 0;
  world_add_machine_gaps(gaps, gone, in_place);
  machine_state_add_gaps(gaps, gone);
  thread_add_gaps(gaps, gone, anew);
  access_add_gaps(gaps, gone);
}

static bool put_world(const struct world_snapshot *world, uint32_t gone, bool anew,
                      struct str *out) {
  static world_gap_list gaps;
  thread_put_ready(out, gone);
  add_gaps(&gaps, cxl.reads_private ? 0 : gone, anew);
  return world_put_rest(world, &gaps, out);
}

bool survivors_put_world(const struct world_snapshot *world, uint32_t gone, struct str *out) {
  return put_world(world, gone, !cxl.reads_private && gone & ~(uint32_t)cxl.state.failed, out);
}

bool survivors_put_standing(const struct world_snapshot *world, struct str *out) {
  return put_world(world, cxl.state.failed, true, out);
}

uint32_t survivors_place(int failing, const struct world_snapshot *world) {
  static struct str key;
  uint32_t gone = cxl.state.failed | 1u << failing;
  CHECK(!(cxl.state.failed >> failing & 1), "machine %d fails once more", failing);
  struct position p = {.gone = gone, .has_outcome = outcome_text() != NULL};
  for (int m = 0; m < cxl.options.machines; m++)
    if (!(gone >> m & 1))
      p.allocated[m] = cxl.state.allocated[m];
  str_clear(&key);
  str_append_bytes(&key, &p, sizeof p);
  if (!survivors_put_world(world, gone, &key)) {
    p.own_count = ++survivors.own_count;
    str_clear(&key);
    str_append_bytes(&key, &p, sizeof p);
  }
  uint32_t number = intern(&survivors.positions, str_text(&key), key.length);
  while (survivors.places.length <= number)
    vec_push(&survivors.places, (struct standing){0});
  return survivors.forgotten + number;
}

static void forget_node(struct walk *w, struct memo_node *n) {
  (void)w;
  merge_forget(&survivors.merge, n);
}

struct standing *survivors_standing(uint32_t number) {
  return number > survivors.forgotten ? &survivors.places.data[number - survivors.forgotten] : NULL;
}

static void forget_trie(struct standing *p) {
  walk_drop(&cluster_walk, p->root);
  vec_free(&p->lines);
  p->root = NULL;
  p->leads_away = false;
}

/* Drop all tries.  Numbers of places that checkpoints still have are not given out again. */
static void forget_all(void) {
  while (survivors.kept.length)
    forget_trie(survivors_standing(vec_pop(&survivors.kept)));
  survivors.forgotten += (uint32_t)survivors.positions.items.length;
  vec_free(&survivors.places);
  intern_free(&survivors.positions);
  fate_forget();       /* its states have numbers of the world, too */
  standstill_forget(); /* likewise */
  world_forget_rests();
  memo_free_chains(&survivors.record.chains);
  merge_clear(&survivors.merge);
  intern_free(&survivors.besides);
  intern_free(&survivors.endings);
  recall_clear(&cluster_walk.recall);
  survivors.bytes_before = mem_used_bytes();
}

/* Between two walks nobody holds a part of a trie, so all of them can be dropped if they take too much memory. */
static void keep_within_limit(void) {
  size_t now = mem_used_bytes();
  if (now > survivors.bytes_before && now - survivors.bytes_before > cluster.memory_max)
    forget_all();
}

/* The place with that number and a trie; an empty one if the old one must not be shared (leads_away).  A place that was
 * dropped gets a new number, and is like no other. */
static struct standing *place_of(uint32_t *number) {
  struct standing *p = survivors_standing(*number);
  if (!p) {
    struct position own = {.own_count = ++survivors.own_count};
    *number = survivors.forgotten + intern(&survivors.positions, &own, sizeof own);
    while (survivors.places.length <= *number - survivors.forgotten)
      vec_push(&survivors.places, (struct standing){0});
    p = survivors_standing(*number);
  }
  if (p->root && !p->leads_away)
    return p;
  if (p->root)
    forget_trie(p);
  else
    vec_push(&survivors.kept, *number);
  p->root = memo_create();
  return p;
}

void survivors_note_value(uint64_t value) {
  if (cxl_is_private(value, ~(uint32_t)cxl.state.failed))
    survivors_standing(survivors.place)->leads_away = true;
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
    survivors_add_stores(&survivors.merge, n->result);
}

static void answer(struct walk *w, const struct memo_load *l, const struct candidate *taken,
                   uint64_t value) {
  (void)w;
  if (!l->peeks)
    cluster_note_shared_load(l, taken);
  survivors_note_value(value);
}

static bool may_skim(struct walk *w, const struct memo_chain *part) {
  (void)w;
  return cluster_may_skim(part);
}

static void note_values(struct walk *w, const struct memo_load *l, uint32_t count) {
  (void)w;
  for (uint32_t i = 0; i < count; i++)
    survivors_note_value(l[i].value);
}

static void doubt(struct walk *w, const struct memo_load *l, struct choice *choice) {
  (void)w;
  cluster_note_shared_answers(l, choice);
}

static void mark(struct walk *w) {
  (void)w;
  if (cluster.analyses)
    vec_push(&survivors.marks, cluster_analyses_mark());
}

static void back(struct walk *w) {
  (void)w;
  if (cluster.analyses)
    cluster_analyses_undo(&vec_last(&survivors.marks), cluster.history.events.length);
}

static void drop(struct walk *w) {
  (void)w;
  survivors.marks.length -= cluster.analyses != NULL;
}

/* Append the verdicts of an execution that ends like that to now.verdicts. */
static void verdicts_of(uint32_t ending) {
  CHECK(ending && ending <= survivors.endings.items.length, "ending %u of %zu", ending,
        survivors.endings.items.length);
  const char *at = survivors.endings.bytes.data + survivors.endings.items.data[ending - 1].offset;
  struct ending e;
  memcpy(&e, at, sizeof e);
  at += sizeof e;
  for (uint32_t i = 0, v; i < e.verdicts; i++, at += sizeof v) {
    memcpy(&v, at, sizeof v);
    vec_push(&now.verdicts, v);
  }
  outcome_append(at, e.has_outcome);
  vec_push(&now.verdicts, cluster.verdict(&e.last, true));
  outcome_truncate(survivors.checkpoint->outcome);
}

static void ended(struct walk *w, struct memo_node *n) {
  size_t before = now.verdicts.length;
  (void)w;
  survivors.ends++;
  verdicts_of(n->result);
  if (!cluster_glimpse() && choice_complete(&cluster.history.choices)) {
    cluster.executions++;
    cluster.finished(now.verdicts.data, now.verdicts.length);
    fate_count(NULL);
  }
  now.verdicts.length = before;
}

uint32_t cluster_report_result(uint32_t verdict) {
  return RECALL_REPORTED | verdict;
}

/* One line of a tally.  counts false: can it be counted, because its verdicts are known?  True: count it. */
static bool take_one(const struct tally_item *t, bool counts) {
  size_t before = now.verdicts.length, first = t->result & RECALL_REPORTED ? before : 0;
  if (t->result & RECALL_REPORTED)
    vec_push(&now.verdicts, t->result & ~RECALL_REPORTED);
  else
    verdicts_of(t->result);
  const uint32_t *verdicts = now.verdicts.data + first;
  size_t n = now.verdicts.length - first;
  bool can = counts || cluster.known(verdicts, n);
  if (counts)
    cluster.repeated(verdicts, n, &t->count);
  if (counts && !(t->result & RECALL_REPORTED))
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

/* As long as an execution is robust, whether a violation is found depends on all that was read, not on memory alone. */
static bool is_whole(struct walk *w) {
  const struct analyses *a = cluster.analyses;
  (void)w;
  return !a || !a->robustness_wanted || a->robustness.violated;
}

/* How executions end may be taken over by those that have violated robustness already; races depend on the whole
 * path. */
static enum recall_keeps keeps(struct walk *w) {
  if (is_whole(w))
    return RECALL_ALL;
  return cluster.analyses->races_wanted ? RECALL_NOTHING : RECALL_ENDS;
}

/* A number for what the race analysis knows.  It holds within one walk: in another one other flushes were completed. */
static uint32_t besides(struct walk *w) {
  static struct str bytes;
  (void)w;
  if (!cluster.analyses || !cluster.analyses->races_wanted)
    return 0;
  str_clear(&bytes);
  machines_put_state(cluster.analyses, &bytes);
  return intern(&survivors.besides, str_text(&bytes), bytes.length);
}

static bool over(struct walk *w) {
  (void)w;
  return cluster_over();
}

/* The only observation besides loads. */
static struct memo_node *follow(struct walk *w, struct memo_node *n) {
  (void)w;
  CHECK(n->kind == MEMO_MERGE, "observation %d", n->kind);
  return n->edges->to;
}

static const struct walk_user user = {.run = survivors_run,
                                      .runs_again = runs_again,
                                      .arrive = arrive,
                                      .answer = answer,
                                      .follow = follow,
                                      .is_whole = is_whole,
                                      .keeps = keeps,
                                      .besides = besides,
                                      .doubt = doubt,
                                      .may_skim = may_skim,
                                      .skimmed = note_values,
                                      .ended = ended,
                                      .take = take,
                                      .gone = forget_node,
                                      .over = over,
                                      .mark = mark,
                                      .back = back,
                                      .drop = drop};

void survivors_explore(const struct checkpoint *c) {
  CHECK(survivors_shared(c) && c->place, "it is not known where the survivors stand");
  keep_within_limit();
  survivors.place = c->place;
  struct memo_node *root = place_of(&survivors.place)->root;
  survivors.checkpoint = c;
  survivors.merge.allowed = cluster.merge || (cluster.merge_by_several && flush_by_several());
  survivors_prepare_merge(&survivors.merge);
  survivors.merge.walk++;
  survivors.ends = 0;
  cluster_walk.user = &user;
  cluster_walk.recalls = cluster.recall && !cluster.scout.on;
  cluster.scout.ends = 0;
  cluster_walk.deviations = cluster_deviations();
  cluster_walk.skims = true;
  cluster_walk.recall.after = cluster.recall_after;
  cluster_lose(&c->failure);
  cluster_walk_begins();
  walk_explore(&cluster_walk, root);
  cluster_walk_ends();
  CHECK(!survivors.marks.length, "%zu marks of analyses are left", survivors.marks.length);
  fate_consult(&survivors_standing(survivors.place)->lines);
  cluster_restore(c);
}
