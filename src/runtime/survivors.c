#include "runtime/survivors.h"
#include "base/check.h"
#include "base/hash.h"
#include "base/str.h"
#include "explore/memo.h"
#include "runtime/access.h"
#include "runtime/cluster_internal.h"
#include "runtime/program.h"
#include "runtime/session.h"
#include "runtime/virtual_clock.h"
#include <string.h>

#define PLACES 4096

/* How a run of the survivors ended. */
struct ending {
  VEC(uint32_t) verdicts; /* of the machines that ended before the last one */
  struct stop last;
  char *said; /* what was added to the outcome */
  bool has_outcome;
};

struct branch {
  struct memo_node *node;
  size_t mark;
};

static struct {
  struct {
    uint64_t key;
    struct memo_node *root;
  } places[PLACES]; /* where survivors stood; a hash table */
  int place_count;
  VEC(struct ending) endings;
  VEC(struct branch) branches;
  /* The run under way. */
  bool running;
  memo_path path;
  size_t cursor;
  struct memo_node *at;
} known;

bool survivors_running(void) {
  return known.running;
}

bool survivors_shared(const struct checkpoint *c) {
  int left = cluster.options.failures_max - __builtin_popcount(c->state.failed);
  return cluster.options.share && c->kind == CHOICE_MACHINE && left == 1 &&
         known.place_count < PLACES / 2;
}

uint64_t survivors_place(int failing) {
  const struct state *s = &now.state;
  uint64_t key = hash_u64(s->path, (uint64_t)failing + 1);
  for (int m = 0; m < cluster.options.machines; m++)
    if (m != failing)
      key = hash_u64(hash_u64(key, thread_turns_of(m)), s->allocated[m]);
  if (thread_current()->machine != failing)
    key = hash_u64(key, s->points); /* a survivor is in the middle of its turn: nothing is shared */
  key = hash_u64(key, s->synchronised);
  key = hash_u64(key, clock_time());
  key = hash_u64(key, (uint64_t)thread_count());
  return hash_u64(key, session_outcome_text() != NULL);
}

static struct memo_node *root_of(uint64_t place) {
  for (size_t i = place % PLACES;; i = (i + 1) % PLACES) {
    if (known.places[i].root && known.places[i].key != place)
      continue;
    if (!known.places[i].root) {
      known.places[i].key = place;
      known.places[i].root = memo_create();
      known.place_count++;
    }
    return known.places[i].root;
  }
}

/* ---- while the program runs ---- */

uint64_t survivors_observe(struct space_line *l, uintptr_t address, int size,
                           const struct abi_site *site) {
  if (known.cursor < known.path.length) {
    const struct memo_step *step = &known.path.data[known.cursor++];
    if (step->node->address != address || step->node->size != size)
      stop_with(STOP_NONDETERMINISM, site,
                "an unexpected load of shared memory: the same execution did something else before");
    return step->value;
  }
  struct memo_node *n = known.at;
  n->kind = MEMO_LOAD;
  n->address = address;
  n->size = (uint8_t)size;
  n->site = site;
  n->code = site ? 0 : program_caller();
  n->line = &l->line;
  candidate_list all = {0};
  memory_candidates(&cluster.memory, &l->line, (int)(address - l->line.address), size, &all);
  uint64_t value = all.data[0].value;
  memory_choose(&cluster.memory, &l->line, &all.data[0]);
  vec_free(&all);
  known.at = memo_follow(n, value);
  return value;
}

/* Run the survivors from the checkpoint along the path to n and beyond; leaves everything on the
 * host as it was. */
static void run_survivors(const struct checkpoint *c, struct memo_node *n) {
  struct state state = now.state;
  size_t memory = memory_mark(&cluster.memory), undo = now.undo.length;
  size_t events = cluster.history.events.length, verdicts = now.verdicts.length;
  memo_path_to(n, &known.path);
  known.cursor = 0;
  known.at = n;
  known.running = true;
  world_restore(c->world);
  access_set_steps(c->state.steps);
  now.answer = 1;
  cluster_run_to_end();
  known.running = false;
  cluster.program_runs++;
  struct ending e = {.last = now.last_stop};
  for (size_t i = verdicts; i + 1 < now.verdicts.length; i++)
    vec_push(&e.verdicts, now.verdicts.data[i]);
  if (known.cursor < known.path.length)
    e.last.kind = STOP_NONDETERMINISM;
  const char *text = session_outcome_text();
  e.has_outcome = text != NULL;
  e.said = mem_strdup(text ? text + c->outcome : "");
  known.at->kind = MEMO_END;
  known.at->result = (uint32_t)known.endings.length;
  vec_push(&known.endings, e);
  session_outcome_truncate(c->outcome, c->has_outcome);
  memory_undo(&cluster.memory, memory);
  cluster_undo(undo);
  cluster.history.events.length = events;
  now.verdicts.length = verdicts;
  now.state = state;
}

/* ---- walking what is known ---- */

static struct memo_node *take(void) {
  struct memo_node *n = vec_last(&known.branches).node;
  const struct history_read *r = &vec_last(&cluster.history.reads);
  const struct candidate *c = &cluster.history.candidates.data[r->first + r->taken];
  memory_choose(&cluster.memory, n->line, c);
  return memo_follow(n, c->value);
}

static struct memo_node *follow_load(struct memo_node *n) {
  struct history *h = &cluster.history;
  struct line *l = n->line;
  int offset = (int)(n->address - l->address);
  uint64_t value;
  if (memory_certain(&cluster.memory, l, offset, n->size, &value))
    return memo_follow(n, value);
  struct history_read r = {.address = n->address,
                           .size = n->size,
                           .execution = (int)h->failures.length,
                           .site = n->site,
                           .code = n->code,
                           .first = h->candidates.length};
  memory_candidates(&cluster.memory, l, offset, n->size, &h->candidates);
  r.count = h->candidates.length - r.first;
  r.taken = choice_open(&h->choices, CHOICE_READ, (uint32_t)r.count);
  vec_push(&h->reads, r);
  vec_push(&known.branches, ((struct branch){n, memory_mark(&cluster.memory)}));
  return take();
}

static struct memo_node *backtrack(void) {
  struct history *h = &cluster.history;
  while (known.branches.length && !cluster.stopped()) {
    memory_undo(&cluster.memory, vec_last(&known.branches).mark);
    if (choice_next(&h->choices)) {
      vec_last(&h->reads).taken++;
      return take();
    }
    h->candidates.length = vec_last(&h->reads).first;
    h->reads.length--;
    known.branches.length--;
  }
  return NULL;
}

static void count_ending(const struct checkpoint *c, const struct ending *e) {
  size_t before = now.verdicts.length;
  for (size_t i = 0; i < e->verdicts.length; i++)
    vec_push(&now.verdicts, e->verdicts.data[i]);
  session_outcome_append(e->said, e->has_outcome);
  vec_push(&now.verdicts, cluster.verdict(&e->last, true));
  cluster.executions++;
  cluster.finished(now.verdicts.data, now.verdicts.length);
  session_outcome_truncate(c->outcome, c->has_outcome);
  now.verdicts.length = before;
}

void survivors_explore(const struct checkpoint *c) {
  struct history *h = &cluster.history;
  struct memo_node *n = root_of(c->place);
  size_t choices = h->choices.stack.length;
  now.state.path = hash_u64(hash_u64(now.state.path, now.state.points), 2);
  cluster_lose(&c->failure);
  while (n && !cluster.stopped()) {
    if (n->kind == MEMO_UNEXECUTED)
      run_survivors(c, n);
    if (n->kind == MEMO_LOAD) {
      n = follow_load(n);
      continue;
    }
    count_ending(c, &known.endings.data[n->result]);
    n = backtrack();
  }
  known.branches.length = 0;
  h->choices.stack.length = choices;
  cluster_restore(c);
}
