/* Runs of survivors: the door, recording, and joining runs that come to the same state. */
#include "access/access.h"
#include "base/str.h"
#include "process/program.h"
#include "search/standstill.h"
#include "search/survivors_internal.h"
#include <string.h>

static void init_load(struct memo_load *x, struct line *l, uintptr_t address, int size,
                      bool peeks) {
  memset(x, 0, sizeof *x);
  x->address = address;
  x->size = (uint8_t)size;
  x->line = l;
  x->peeks = peeks;
}

/* A load beyond the known path: record it, and answer it. */
static uint64_t observe_load(struct line *l, uintptr_t address, int size,
                             const struct abi_site *site, uintptr_t code, bool ignored) {
  struct record *r = &survivors.record;
  struct memo_load x;
  init_load(&x, l, address, size, false);
  x.site = site;
  x.code = code;
  x.ignored = ignored;
  int offset = (int)(address - l->address);
  if (memory_certain(&cxl.memory, l, offset, size, &x.value) && !survivors.unchained) {
    survivors_note_value(x.value);
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
  survivors.unchained = false;
  survivors_note_value(x.value);
  r->at = memo_follow(n, x.value);
  return x.value;
}

/* If the known path has a MEMO_MERGE here, forget what was read, as the run that recorded it did. */
static void forget_again(struct record *r) {
  if (!merge_is_next(r))
    return;
  thread_settle();
  access_forget();
  record_step(r);
}

/* The answer to a load of the known path. */
static uint64_t replay(uintptr_t address, int size, bool peeks, const struct abi_site *site) {
  const struct memo_load *x = record_load(&survivors.record);
  if (!x || x->address != address || x->size != size || x->peeks != peeks)
    stop_with(STOP_NONDETERMINISM, site,
              "an unexpected load of shared memory: the same execution did something else before");
  return record_step(&survivors.record);
}

static uint64_t read_bytes(struct line *l, uintptr_t address, int size,
                           const struct abi_site *site) {
  struct record *r = &survivors.record;
  forget_again(r);
  merge_leave_for_checkpoint(&survivors.merge, r, l, address, size, site);
  if (record_is_known(r))
    return replay(address, size, false, site);
  if (merge_wants(&survivors.merge, &cluster_walk, l, address, size))
    merge_read(&survivors.merge, l, address, size, site, false);
  return observe_load(l, address, size, site, site ? 0 : program_caller(),
                      thread_current()->ignores > 0);
}

/* A number for what the run has stored since the newest state. */
static uint32_t number_stores(struct merge *m) {
  static struct str bytes;
  str_clear(&bytes);
  cxl_put_stores(&bytes);
  return intern(&m->bytes, str_text(&bytes), bytes.length);
}

void survivors_add_stores(const struct merge *m, uint32_t number) {
  const struct intern_item *x = &m->bytes.items.data[number - 1];
  cxl_add_stores(m->bytes.bytes.data + x->offset, x->length);
}

/* The load that was left to the host: take the state.  False: an earlier run was in it, and this one ends; otherwise
 * the load is answered. */
static bool answer_load(void) {
  struct merge *m = &survivors.merge;
  struct record *r = &survivors.record;
  struct search_state state;
  struct memo_node *n = record_here(r);
  n->result = number_stores(m);
  struct memo_node *same = merge_find(m, survivors.place, false, &state);
  n->kind = MEMO_MERGE;
  survivors_add_stores(m, n->result);
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
  survivors.unchained = true; /* its node holds the state */
  uint64_t value = observe_load(m->load.line, m->load.address, m->load.size, m->load.site,
                                m->load.code, m->load.ignored);
  access_answer_load(m->load.line, m->load.address, m->load.size, value);
  return true;
}

bool survivors_asked(void) {
  return survivors.running && survivors.merge.asked;
}

bool survivors_answer(void) {
  struct merge *m = &survivors.merge;
  m->asked = false;
  if (!m->load.again)
    return answer_load();
  merge_checkpoint(m, survivors.record.path.data[survivors.record.cursor].node, false);
  uint64_t value = replay(m->load.address, m->load.size, false, m->load.site);
  access_answer_load(m->load.line, m->load.address, m->load.size, value);
  return true;
}

/* door.peek: what the runtime looks at for its own purposes is an observation with one answer. */
static uint64_t peek(struct line *l, uintptr_t address, int size) {
  struct record *r = &survivors.record;
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
                                           .peek = peek,
                                           .steps = standstill_step};

/* The verdicts of machines that have ended in this run are part of its state. */
static void put_verdicts(struct str *out) {
  size_t first = survivors.checkpoint->verdicts;
  str_append_bytes(out, now.verdicts.data + first,
                   (now.verdicts.length - first) * sizeof *now.verdicts.data);
}

static void set_verdicts(const char *bytes, size_t n) {
  now.verdicts.length = survivors.checkpoint->verdicts;
  for (uint32_t v; n; bytes += sizeof v, n -= sizeof v) {
    memcpy(&v, bytes, sizeof v);
    vec_push(&now.verdicts, v);
  }
}

/* The world without machines that have failed. */
static struct world_snapshot *save_world(struct str *out) {
  struct world_snapshot *world = world_save();
  if (survivors_put_world(world, cxl.state.failed, out))
    return world;
  world_drop(world);
  return NULL;
}

void survivors_prepare_merge(struct merge *m) {
  m->put = put_verdicts;
  m->set = set_verdicts;
  m->save = save_world;
}

/* A run may begin only at states of this walk: in others the failed machine stopped elsewhere, and left other private
 * memory. */
static bool can_begin(const struct memo_node *n) {
  return n->state && n->state->walk == survivors.merge.walk;
}

/* Are states compared in the run that begins?  Also in a look ahead, whose runs the search will pass by, and for
 * analyses after as many ends, even if the walk is not memoised. */
static bool joins(void) {
  const struct recall *r = &cluster_walk.recall;
  bool ahead = cluster.scout.on && cluster.recall && (r->pays || cluster.scout.ends >= r->after);
  bool many = cluster.analyses && survivors.ends >= cluster.recall_after;
  return survivors.merge.allowed && (r->on || ahead || many);
}

/* Put everything back to the failure, or to a state on the way to n. */
static void begin_run(struct memo_node *n) {
  const struct checkpoint *c = survivors.checkpoint;
  struct merge *m = &survivors.merge;
  bool on = joins();
  merge_run_begins(m, n, on, on ? MERGE_ON_THE_WAY : MERGE_NONE, c->state.steps);
  m->said = c->outcome;
  const struct memo_node *begin = record_begin(&survivors.record, n, can_begin);
  survivors.unchained = false;
  if (begin) {
    merge_restore(m, begin->state);
    access_answer_load(begin->load.line, begin->load.address, begin->load.size,
                       survivors.record.path.data[0].value);
    return;
  }
  world_restore(c->world);
  now.answer = 1;
}

/* A number for how the run has ended. */
static uint32_t number_ending(void) {
  static struct str bytes;
  size_t first = survivors.checkpoint->verdicts, count = now.verdicts.length - 1 - first;
  const char *text = outcome_text();
  struct ending e = {.last = stop_normal(&now.last_stop),
                     .verdicts = (uint32_t)count,
                     .has_outcome = text != NULL};
  if (record_is_known(&survivors.record))
    e.last.kind = STOP_NONDETERMINISM;
  str_clear(&bytes);
  str_append_bytes(&bytes, &e, sizeof e);
  str_append_bytes(&bytes, now.verdicts.data + first, count * sizeof *now.verdicts.data);
  const char *said = text ? text + survivors.checkpoint->outcome.length : "";
  str_append_bytes(&bytes, said, strlen(said) + 1);
  return intern(&survivors.endings, str_text(&bytes), bytes.length);
}

/* Record how the run has ended, unless it was joined with another one. */
static void note_end(void) {
  if (!survivors.record.at)
    return;
  uint32_t number = number_ending();
  struct memo_node *end = record_here(&survivors.record);
  end->kind = MEMO_END;
  end->result = number;
}

/* A walk depends only on lines that runs from its place have consulted: collect them, for fate.h. */
static void note_lines(void) {
  cxl_line_set *to = &survivors_standing(survivors.place)->lines;
  for (size_t i = 0; i < cxl.consulted.length; i++) {
    if (to->length == i)
      vec_push(to, 0);
    to->data[i] |= cxl.consulted.data[i];
    cxl.consulted.data[i] = 0;
  }
}

void survivors_run(struct walk *w, struct memo_node *n) {
  (void)w;
  struct state state = cluster_state();
  struct cxl_mark mark = cxl_mark();
  size_t events = cluster.history.events.length, verdicts = now.verdicts.length;
  survivors.running = true;
  begin_run(n);
  door = &survivors_door;
  cxl.stores_apart = survivors.merge.allowed;
  cluster_run_to_end();
  cluster_open_door();
  survivors.running = access_captures = cxl.stores_apart = false;
  note_lines();
  cluster.program_runs++;
  note_end();
  outcome_truncate(survivors.checkpoint->outcome);
  cxl_undo(mark);
  cluster.history.events.length = events;
  now.verdicts.length = verdicts;
  cluster_set_state(&state);
}
