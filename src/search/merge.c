#include "search/merge.h"
#include "access/access.h"
#include "access/outcome.h"
#include "base/check.h"
#include "base/str.h"
#include "process/program.h"
#include "process/world.h"
#include "thread/thread.h"

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
  thread_pause();
  CHECK(false, "a load that was left goes on");
}

/* Taking a state costs about as much as so many loads. */
#define CHECKPOINT_LOADS 256

bool merge_wants_checkpoint(struct merge *m, size_t left) {
  return m->on && ++m->loads >= CHECKPOINT_LOADS && left >= CHECKPOINT_LOADS / 4;
}

static uint32_t number(struct merge *m, const struct str *bytes) {
  return intern(&m->bytes, str_text(bytes), bytes->length);
}

static void put(struct str *out, uint64_t n) {
  str_append_bytes(out, &n, sizeof n);
}

/* False: there is no way to. */
static bool take(struct merge *m, bool counts, struct search_state *s, struct str *state) {
  static struct str bytes;
  *s = (struct search_state){.steps = access_steps()};
  str_clear(state);
  s->world = world_save_state(state);
  m->loads = 0;
  if (!s->world)
    return false;
  str_clear(&bytes);
  access_put_state(&bytes, counts);
  s->access = number(m, &bytes);
  str_clear(&bytes);
  if (outcome_text())
    str_append(&bytes, "said: ");
  str_append(&bytes, outcome_text() ? outcome_text() : "");
  s->outcome = number(m, &bytes);
  return true;
}

void merge_checkpoint(struct merge *m, struct memo_node *n, bool counts) {
  static struct str state;
  struct search_state s;
  access_leave_load();
  if (!take(m, counts, &s, &state))
    return;
  n->state = mem_alloc(sizeof *n->state);
  *n->state = s;
}

struct memo_node *merge_find(struct merge *m, int generation, bool counts, struct search_state *s) {
  static struct str state;
  struct memo_node *found = NULL;
  m->forgot = true;
  access_leave_load();
  thread_settle();
  space_forget();
  if (!take(m, counts, s, &state))
    return NULL;
  put(&state, m->load.address);
  put(&state, (uint64_t)generation << 8 | (uint64_t)m->load.size);
  put(&state, (uint64_t)s->access << 32 | s->outcome);
  uint32_t which = intern(&m->states, str_text(&state), state.length);
  while (m->nodes.length <= which)
    vec_push(&m->nodes, NULL);
  found = m->nodes.data[which];
  s->number = which;
  return found;
}

void merge_drop(struct search_state *s) {
  world_drop(s->world);
  s->world = NULL;
}

void merge_keep(struct merge *m, struct memo_node *n, const struct search_state *s) {
  n->state = mem_alloc(sizeof *n->state);
  *n->state = *s;
  m->nodes.data[s->number] = n;
  m->kept++;
}

static void restore_outcome(const char *text, size_t n) {
  const size_t prefix = sizeof "said: " - 1;
  static struct str copy;
  outcome_reset();
  if (n < prefix)
    return;
  str_clear(&copy);
  str_append_bytes(&copy, text + prefix, n - prefix);
  outcome_append(str_text(&copy), true);
}

void merge_restore(struct merge *m, const struct search_state *s) {
  const struct intern_item *x = &m->bytes.items.data[s->access - 1];
  world_restore(s->world);
  access_set_state(m->bytes.bytes.data + x->offset, x->length);
  access_set_steps(s->steps);
  x = &m->bytes.items.data[s->outcome - 1];
  restore_outcome(m->bytes.bytes.data + x->offset, x->length);
  m->steps = s->steps;
}

void merge_forget(struct merge *m, struct memo_node *n) {
  if (!n->state)
    return;
  if (n->state->number)
    m->nodes.data[n->state->number] = NULL;
  merge_drop(n->state);
  mem_free(n->state, sizeof *n->state);
}

void merge_clear(struct merge *m) {
  intern_free(&m->bytes);
  intern_free(&m->states);
  vec_free(&m->nodes);
}
