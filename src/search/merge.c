#include "search/merge.h"
#include "access/access.h"
#include "access/bypass.h"
#include "access/outcome.h"
#include "base/check.h"
#include "base/hash.h"
#include "base/str.h"
#include "process/program.h"
#include "process/world.h"
#include "search/record.h"
#include "search/walk.h"
#include "thread/thread.h"
#include <string.h>

void merge_read(struct merge *m, struct line *l, uintptr_t address, int size,
                const struct abi_site *site, bool again) {
  m->asked = true;
  m->load.again = again;
  m->load.line = l;
  m->load.address = address;
  m->load.size = size;
  m->load.site = site;
  m->load.code = site ? 0 : program_caller();
  m->load.ignored = thread_current()->ignores > 0;
  m->load.summed = sum_has(site, bypass_sums());
  thread_pause();
  CHECK(false, "a load that was left goes on");
}

/* Walks stop over at one in so many states: to remember what comes of each costs more than to walk from one to the
 * next. */
#define STOPS_OVER 64

/* Taking a state costs about as much as so many steps. */
#define CHECKPOINT_STEPS 1024
#define CHECKPOINT_BYTES ((size_t)8 << 20) /* of what was read, of all checkpoints */

bool merge_runs_are_long(const struct merge *m) {
  return m->longest >= 2 * CHECKPOINT_STEPS || m->everywhere;
}

/* Checkpoints pay if runs repeat others for more than a quarter of their steps. */
#define REPEATED_SHARE 4
#define USUAL 8 /* a moving average takes over one part in so many of a new value */

bool merge_runs_repeat(const struct merge *m) {
  return m->repeated > m->steps_usual / REPEATED_SHARE && m->repeated > 2 * CHECKPOINT_STEPS;
}

void merge_run_ends(struct merge *m, uint64_t left, uint64_t steps) {
  m->longest = steps > m->longest ? steps : m->longest;
  if (m->on)
    landmarks_end(&m->landmarks, steps);
  if (!left)
    return;
  m->repeated = (m->repeated * (USUAL - 1) + left) / USUAL;
  m->steps_usual = (m->steps_usual * (USUAL - 1) + steps) / USUAL;
}

/* Is the number of known observations that are left a power of two?  So checkpoints get denser towards the end. */
static bool comes_to_the_end(const struct record *r) {
  size_t left = r->path.length - r->cursor;
  return (left & (left - 1)) == 0;
}

static bool wants_checkpoint(const struct merge *m, const struct record *r) {
  if (m->everywhere)
    return true;
  return access_steps() >= m->newest + CHECKPOINT_STEPS &&
         (m->checkpoints == MERGE_ON_THE_WAY || comes_to_the_end(r));
}

bool merge_is_next(const struct record *r) {
  return record_is_known(r) && record_node(r)->kind == MEMO_MERGE;
}

void merge_leave_for_checkpoint(struct merge *m, const struct record *r, struct line *l,
                                uintptr_t address, int size, const struct abi_site *site) {
  if (!m->checkpoints || !record_is_known(r) || !access_is_plain(address, size))
    return;
  const struct memo_node *n = record_node(r);
  if (n->kind == MEMO_LOAD && !n->state && !n->load.peeks && n->load.address == address &&
      n->load.size == size && wants_checkpoint(m, r))
    merge_read(m, l, address, size, site, true);
}

bool merge_wants(struct merge *m, struct walk *w, struct line *l, uintptr_t address, int size) {
  uint64_t value, steps = access_steps();
  int offset = (int)(address - l->address);
  if (!m->on || !access_is_plain(address, size) || steps <= m->steps)
    return false;
  landmarks_pass(&m->landmarks, steps);
  m->doubt = 0;
  if (memory_certain(w->memory, l, offset, size, &value))
    return m->seeks && (landmarks_here(&m->landmarks, address, value, steps) || m->everywhere);
  size_t first = walk_answers(w, l, offset, size);
  size_t count = w->history->candidates.length - first;
  w->history->candidates.length = first;
  m->doubt = count > 1 ? address : 0;
  return count > 1;
}

void merge_run_begins(struct merge *m, const struct memo_node *from, bool on,
                      enum merge_checkpoints checkpoints, uint64_t steps) {
  const struct memo_node *last = from->parent;
  m->asked = false;
  landmarks_begin(&m->landmarks, last && last->kind == MEMO_LOAD ? last->load.address : 0);
  m->steps = 0;
  m->newest = steps;
  m->on = on;
  m->checkpoints = checkpoints;
  access_captures = on || checkpoints;
  access_note_changes(on);
}

static uint32_t number(struct merge *m, const struct str *bytes) {
  return intern(&m->bytes, str_text(bytes), bytes->length);
}

static void put(struct str *out, uint64_t n) {
  str_append_bytes(out, &n, sizeof n);
}

/* What was said in the run, and what its search adds. */
static void put_said(const struct merge *m, struct str *out) {
  struct outcome_mark now = outcome_mark();
  put(out, (uint64_t)now.any);
  put(out, now.length - m->said.length);
  if (now.any)
    str_append_bytes(out, outcome_text() + m->said.length, now.length - m->said.length);
  if (m->put)
    m->put(out);
}

static uint64_t word(const char *bytes) {
  uint64_t n;
  memcpy(&n, bytes, sizeof n);
  return n;
}

static void set_said(const struct merge *m, const char *bytes, size_t n) {
  static struct str copy;
  bool any = word(bytes) != 0;
  size_t length = word(bytes + 8);
  str_clear(&copy);
  str_append_bytes(&copy, bytes + 16, length);
  outcome_truncate(m->said);
  outcome_append(str_text(&copy), any);
  if (m->set)
    m->set(bytes + 16 + length, n - 16 - length);
}

/* Save the world and what was said; *state gets the world as comparable bytes.  False: it cannot be saved. */
static bool take(struct merge *m, struct search_state *s, struct str *state) {
  static struct str bytes;
  *s = (struct search_state){.steps = access_steps(), .walk = m->walk};
  str_clear(state);
  s->world = m->save ? m->save(state) : world_save_state(state);
  m->newest = access_steps();
  if (!s->world)
    return false;
  str_clear(&bytes);
  put_said(m, &bytes);
  s->said = number(m, &bytes);
  return true;
}

static void drop_state(struct merge *m, struct memo_node *n) {
  if (n->state->number) {
    CHECK(m->nodes.data[n->state->number] == n, "state %u belongs to another node",
          n->state->number);
    m->nodes.data[n->state->number] = NULL;
  }
  if (n->state->slot) {
    CHECK(m->checkpoint[n->state->slot - 1] == n, "checkpoint %u belongs to another node",
          n->state->slot);
    m->checkpoint[n->state->slot - 1] = NULL;
    m->checkpoint_bytes -= n->state->read.capacity;
  }
  merge_drop(n->state);
  mem_free(n->state, sizeof *n->state);
  n->state = NULL;
}

/* The oldest checkpoints make room for this one. */
static void keep_newest(struct merge *m, struct memo_node *n) {
  uint32_t slot = m->checkpoint_count++ % MERGE_CHECKPOINTS;
  m->checkpoint_bytes += n->state->read.capacity;
  for (uint32_t i = 0; i < MERGE_CHECKPOINTS; i++) {
    struct memo_node *oldest = m->checkpoint[(slot + i) % MERGE_CHECKPOINTS];
    if (oldest && (i == 0 || m->checkpoint_bytes > CHECKPOINT_BYTES))
      drop_state(m, oldest);
  }
  m->checkpoint[slot] = n;
  n->state->slot = slot + 1;
}

void merge_checkpoint(struct merge *m, struct memo_node *n, bool counts) {
  static struct str state;
  struct search_state s;
  access_leave_load();
  if (!take(m, &s, &state))
    return;
  access_put_state(&s.read, counts);
  n->state = mem_alloc(sizeof *n->state);
  *n->state = s;
  keep_newest(m, n);
}

struct memo_node *merge_find(struct merge *m, uint32_t place, bool counts, struct search_state *s) {
  static struct str state, bytes;
  struct memo_node *found = NULL;
  m->forgot = true;
  access_leave_load();
  thread_settle();
  access_forget();
  if (!take(m, s, &state))
    return NULL;
  str_clear(&bytes);
  access_put_number(&m->stored, &bytes, counts);
  s->access = number(m, &bytes);
  put(&state, m->load.address);
  put(&state, (uint64_t)place << 8 | (uint64_t)m->load.size);
  put(&state, (uint64_t)s->access << 32 | s->said);
  uint32_t which = intern(&m->states, str_text(&state), state.length);
  while (m->nodes.length <= which)
    vec_push(&m->nodes, NULL);
  found = m->nodes.data[which];
  s->number = which;
  bool met = found && found->state->steps > m->steps;
  landmarks_compared(&m->landmarks, m->doubt, met, s->steps);
  return found;
}

void merge_drop(struct search_state *s) {
  world_drop(s->world);
  str_free(&s->read);
  s->world = NULL;
}

void merge_keep(struct merge *m, struct memo_node *n, const struct search_state *s) {
  CHECK(!n->state && !m->nodes.data[s->number], "state %u is known", s->number);
  n->state = mem_alloc(sizeof *n->state);
  *n->state = *s;
  m->nodes.data[s->number] = n;
  n->stops_over = s->number % STOPS_OVER == 0;
  m->kept++;
}

void merge_restore(struct merge *m, const struct search_state *s) {
  world_restore(s->world);
  CHECK(s->world && s->said && s->access <= m->bytes.items.length &&
            s->said <= m->bytes.items.length,
        "a state of %zu numbers", m->bytes.items.length);
  if (s->access) {
    const struct intern_item *x = &m->bytes.items.data[s->access - 1];
    access_set_number(&m->stored, m->bytes.bytes.data + x->offset, x->length);
  } else
    access_set_state(str_text(&s->read), s->read.length);
  access_set_steps(s->steps);
  const struct intern_item *x = &m->bytes.items.data[s->said - 1];
  set_said(m, m->bytes.bytes.data + x->offset, x->length);
  m->steps = m->newest = s->steps;
}

void merge_forget(struct merge *m, struct memo_node *n) {
  if (n->state)
    drop_state(m, n);
}

/* pre: no node holds a state any more. */
void merge_clear(struct merge *m) {
  CHECK(m->checkpoint_bytes == 0, "%zu bytes of checkpoints are left", m->checkpoint_bytes);
  for (size_t i = 0; i < m->nodes.length; i++)
    CHECK(!m->nodes.data[i], "state %zu is still known", i);
  intern_free(&m->bytes);
  intern_free(&m->states);
  space_tree_clear(&m->stored);
  vec_free(&m->nodes);
}
