#include "search/recall.h"
#include "base/check.h"

/* After so many entries it is judged whether they pay: one in TRIAL_SHARE must have fitted, or at least as many
 * executions as there are entries were not walked. */
#define TRIAL_ENTRIES 4096
#define TRIAL_SHARE 16

#define STEPS_USUAL 1000 /* between two ends, at most */

#define HEIGHT 5 /* of the radix tree: room for a million lines */
#define PROCESSES_MAX 4096

void recall_begin(struct recall *r, const struct memory *m, bool allowed) {
  r->radix.height = HEIGHT;
  r->allowed = allowed;
  r->on = allowed && (r->after == 0 || r->at_once ||
                      (r->pays && !m->open)); /* open ones have little in common */
  r->at_once = false;
  r->ends = r->steps = r->kept = r->found = r->taken = r->spared = 0;
  r->judged = false;
}

static void drop_frame(struct recall *r) {
  CHECK(r->frames.length && r->consults.length >= vec_last(&r->frames).consults,
        "frame %zu of %zu lines", r->frames.length, r->consults.length);
  struct recall_frame f = vec_pop(&r->frames);
  radix_drop(&r->radix, f.known);
  radix_drop(&r->radix, f.consulted);
  tally_free(&f.tally);
  r->consults.length = f.consults;
}

static void turn_off(struct recall *r) {
  while (r->frames.length)
    drop_frame(r);
  r->consults.length = 0;
  r->on = false;
}

static bool pays(const struct recall *r) {
  return r->found * TRIAL_SHARE >= r->kept || r->spared >= r->kept;
}

#define STEADY_ENTRIES 64 /* with fewer, the share of those that fitted says nothing */
#define STEADY_SPARED 64

bool recall_is_steady(const struct recall *r) {
  if (!r->on)
    return r->allowed && r->ends < r->after;
  return r->kept < STEADY_ENTRIES || r->found * 2 >= r->kept ||
         r->spared / STEADY_SPARED >= r->kept;
}

/* A few ends may be as much work as many that are near to each other. */
static bool is_long(const struct recall *r) {
  return r->steps / STEPS_USUAL >= r->after;
}

bool recall_pays(const struct recall *r) {
  bool far_apart = is_long(r) && r->ends < r->after;
  return r->on && (far_apart || (r->kept >= STEADY_ENTRIES && pays(r)));
}

bool recall_repeats(const struct recall *r) {
  return r->allowed && (r->on || r->ends < r->after);
}

void recall_end(struct recall *r) {
  if (r->allowed)
    r->pays = r->on && pays(r) && (r->ends + r->taken >= r->after / 4 || is_long(r));
  turn_off(r);
  r->allowed = false;
}

/* ---- what is known about lines ---- */

/* False: there are too many lines. */
static bool set_version(struct recall *r, const struct memory *m, struct line *l) {
  if (l->number + PROCESSES_MAX >= radix_limit(&r->radix) || memory_processes(m) > PROCESSES_MAX)
    return false;
  while (r->lines.length <= l->number)
    vec_push(&r->lines, NULL);
  r->lines.data[l->number] = l;
  radix_set(&r->radix, &r->known, l->number, memory_version(m, l, &r->versions));
  return true;
}

/* What is known about the cut of an open domain stands behind all lines, by process. */
#define CUT_STALE UINT32_MAX

static uint32_t cut_place(const struct recall *r, uint32_t process) {
  return (uint32_t)radix_limit(&r->radix) - 1 - process;
}

static void set_cut_versions(struct recall *r, const struct memory *m) {
  for (uint32_t p = 0; p < memory_processes(m); p++)
    radix_set(&r->radix, &r->known, cut_place(r, p), memory_cut_version(m, p, &r->versions));
}

/* NULL: the change on the trail was one of the cut, not of a line. */
static bool renew(struct recall *r, const struct memory *m, struct line *l) {
  if (l)
    return set_version(r, m, l);
  set_cut_versions(r, m);
  return true;
}

static void begin_anew(struct recall *r) {
  radix_drop(&r->radix, r->known);
  r->known = 0;
  r->synced = r->stale.length = 0;
}

/* If memory was undone by somebody else than recall_undo, it is not known which lines have changed: start over. */
static void notice_undone(struct recall *r, struct memory *m) {
  if (m->undone_to < r->synced)
    begin_anew(r);
  m->undone_to = SIZE_MAX;
}

/* Everything that ever changed a line and was not undone is on the trail. */
static void sync(struct recall *r, struct memory *m) {
  notice_undone(r, m);
  if (r->failed != m->failed) /* if others have failed, other intervals count */
    begin_anew(r);
  r->failed = m->failed;
  bool good = true;
  for (; good && r->stale.length; r->stale.length--)
    good =
        renew(r, m, vec_last(&r->stale) == CUT_STALE ? NULL : r->lines.data[vec_last(&r->stale)]);
  for (; good && r->synced < m->trail.length; r->synced++)
    good = renew(r, m, m->trail.data[r->synced].line);
  if (good)
    return;
  begin_anew(r);
  turn_off(r);
  r->allowed = false;
}

void recall_undo(struct recall *r, struct memory *m, size_t mark) {
  notice_undone(r, m);
  for (size_t i = mark; i < r->synced && i < m->trail.length; i++)
    vec_push(&r->stale, m->trail.data[i].line ? m->trail.data[i].line->number : CUT_STALE);
  memory_undo(m, mark);
  m->undone_to = SIZE_MAX; /* that one is taken care of */
  if (r->synced > mark)
    r->synced = mark;
  if (!r->frames.length || !vec_last(&r->frames).arrived)
    return;
  radix_drop(&r->radix, r->known);
  r->known = radix_keep(&r->radix, vec_last(&r->frames).known);
  r->stale.length = 0;
}

/* ---- counting ---- */

void recall_consult(struct recall *r, const struct memory *m, const struct line *l) {
  if (!r->on || !r->frames.length)
    return;
  while (r->consult_of.length <= l->number)
    vec_push(&r->consult_of, 0);
  uint32_t at = r->consult_of.data[l->number];
  if (at > vec_last(&r->frames).consults && at <= r->consults.length &&
      r->consults.data[at - 1] == l->number)
    return;
  vec_push(&r->consults, l->number);
  r->consult_of.data[l->number] = (uint32_t)r->consults.length;
  for (uint32_t p = 0; p < memory_processes(m); p++)
    if (memory_concerns(m, l, p))
      vec_push(&r->consults, cut_place(r, p));
}

/* Multiply or divide (`change`) a tally by the number of combinations of cells of all divided lines that are not in the
 * set `without`. */
static void weigh(const struct recall *r, const struct memory *m, struct tally *t, radix_id without,
                  void (*change)(struct tally *t, uint32_t factor)) {
  uint64_t product = 1;
  for (size_t i = 0; i < m->divided.length; i++) {
    const struct line *l = m->divided.data[i];
    CHECK(memory_cells(l) > 0, "line %u is divided into nothing", l->number);
    uint32_t cells = radix_get(&r->radix, without, l->number) ? 1 : memory_cells(l);
    if (product * cells > UINT32_MAX) {
      change(t, (uint32_t)product);
      product = 1;
    }
    product *= cells;
  }
  if (product > 1)
    change(t, (uint32_t)product);
}

static void count_end(struct recall *r, const struct memory *m, uint32_t result) {
  struct tally one = {0};
  if (!m->divided.length) {
    tally_one(&vec_last(&r->frames).tally, result);
    return;
  }
  tally_one(&one, result);
  weigh(r, m, &one, 0, tally_multiply);
  r->spared = tally_sum(&one, r->spared);
  tally_add(&vec_last(&r->frames).tally, &one);
  tally_free(&one);
}

/* The walk has come to an end, or taken one over, with so many branches open.  Is it time to begin? */
static bool note_end(struct recall *r, size_t branches) {
  bool begins = (++r->ends >= r->after || is_long(r)) && !r->on && !r->judged;
  while (begins && r->frames.length < branches)
    vec_push(&r->frames, ((struct recall_frame){0}));
  r->on |= begins;
  return begins;
}

bool recall_ended(struct recall *r, const struct memory *m, uint32_t result, size_t branches,
                  bool promises) {
  if (!r->allowed)
    return false;
  if (r->frames.length)
    count_end(r, m, result);
  return promises && note_end(r, branches);
}

void recall_note(struct recall *r, uint32_t result) {
  if (r->frames.length)
    tally_one(&vec_last(&r->frames).tally, result);
}

void recall_open(struct recall *r, struct memory *m) {
  if (!r->on)
    return;
  sync(r, m);
  if (r->on)
    vec_push(&r->frames, ((struct recall_frame){.arrived = true,
                                                .counted = true,
                                                .besides = r->besides,
                                                .known = radix_keep(&r->radix, r->known),
                                                .consults = r->consults.length}));
}

void recall_spoil(struct recall *r) {
  if (r->frames.length)
    vec_last(&r->frames).counted = false;
}

void recall_spoil_all(struct recall *r) {
  for (size_t i = 0; i < r->frames.length; i++)
    r->frames.data[i].counted = false;
}

static void also_consulted(struct recall *r, struct recall_frame *f, radix_id set) {
  radix_id both = radix_join(&r->radix, f->consulted, set);
  radix_drop(&r->radix, f->consulted);
  f->consulted = both;
}

static void add_line(struct recall *r, const struct memory *m, radix_id *set,
                     const struct line *l) {
  radix_set(&r->radix, set, l->number, 1);
  for (uint32_t p = 0; p < memory_processes(m); p++)
    if (memory_concerns(m, l, p))
      radix_set(&r->radix, set, cut_place(r, p), 1);
}

static void drop_contents(struct recall *r, struct recall_entry *e) {
  radix_drop(&r->radix, e->known);
  radix_drop(&r->radix, e->consulted);
  tally_free(&e->tally);
}

static void drop_entry(struct recall *r, struct recall_entry *e) {
  if (!e)
    return;
  drop_contents(r, e);
  mem_free(e, sizeof *e);
}

/* An entry for the node, in place of its oldest one. */
static void keep(struct recall *r, struct memo_node *n, const struct recall_entry *e) {
  if (!n->recalled)
    n->recalled = mem_alloc(sizeof *n->recalled);
  struct recall_entry **at = &n->recalled->at[n->recalled->count++ % RECALL_ENTRIES];
  drop_entry(r, *at);
  *at = mem_alloc(sizeof **at);
  **at = *e;
  r->kept++;
}

static void note_consulted(struct recall *r, const struct memory *m, const struct memo_node *n) {
  struct recall_frame *f = &vec_last(&r->frames);
  for (size_t i = f->consults; i < r->consults.length; i++)
    radix_set(&r->radix, &f->consulted, r->consults.data[i], 1);
  r->consults.length = f->consults;
  if (n->kind == MEMO_LOAD) /* its own line was consulted before the frame was opened */
    add_line(r, m, &f->consulted, n->load.line);
}

const struct tally *recall_counted(const struct recall *r) {
  CHECK(r->frames.length && vec_last(&r->frames).counted, "not everything was counted");
  return &vec_last(&r->frames).tally;
}

void recall_again(struct recall *r, const struct memory *m, struct memo_node *n) {
  note_consulted(r, m, n);
  struct recall_frame *f = &vec_last(&r->frames);
  struct recall_entry e = {.failed = m->failed,
                           .besides = f->besides,
                           .known = radix_keep(&r->radix, f->known),
                           .consulted = radix_keep(&r->radix, f->consulted),
                           .tally = f->tally};
  f->tally = (struct tally){0};
  weigh(r, m, &e.tally, e.consulted, tally_divide);
  keep(r, n, &e);
}

/* Turn it off if it does not pay; not while lines are divided, whose executions only the frames count. */
static void judge(struct recall *r, const struct memory *m) {
  bool early = r->kept < TRIAL_ENTRIES || r->ends + r->taken < r->after;
  if (r->judged || early || !r->after || m->divided.length)
    return;
  r->judged = true;
  if (!pays(r))
    turn_off(r);
}

void recall_close(struct recall *r, const struct memory *m, struct memo_node *n,
                  enum recall_keeps keeps) {
  if (!r->frames.length)
    return;
  if (!vec_last(&r->frames).counted) {
    drop_frame(r);
    return;
  }
  note_consulted(r, m, n);
  struct recall_frame *f = &vec_last(&r->frames);
  struct recall_entry e = {.failed = m->failed,
                           .besides = f->besides,
                           .known = f->known,
                           .consulted = f->consulted,
                           .tally = f->tally};
  r->frames.length--;
  if (r->frames.length) {
    struct recall_frame *above = &vec_last(&r->frames);
    tally_add(&above->tally, &e.tally);
    also_consulted(r, above, e.consulted);
  }
  weigh(r, m, &e.tally, e.consulted, tally_divide);
  if (keeps == RECALL_ENDS)
    tally_cut(&e.tally, RECALL_REPORTED);
  if (keeps != RECALL_NOTHING)
    keep(r, n, &e);
  else
    drop_contents(r, &e);
  judge(r, m);
}

/* ---- taking over ---- */

const struct recall_entry *recall_find(struct recall *r, struct memory *m,
                                       const struct memo_node *n) {
  if (!r->allowed || !n->recalled)
    return NULL;
  sync(r, m);
  for (int i = 0; r->allowed && i < RECALL_ENTRIES; i++) {
    const struct recall_entry *e = n->recalled->at[i];
    if (e && e->failed == m->failed && e->besides == r->besides &&
        radix_agree(&r->radix, e->known, r->known, e->consulted)) {
      r->found++;
      return e;
    }
  }
  return NULL;
}

bool recall_take(struct recall *r, const struct memory *m, const struct recall_entry *e,
                 size_t branches) {
  r->taken++;
  CHECK(e->tally.items.length > 0, "an execution without an end");
  if (!r->on)
    return note_end(r, branches);
  if (!r->frames.length)
    return false;
  struct tally t = {0};
  tally_add(&t, &e->tally);
  weigh(r, m, &t, e->consulted, tally_multiply);
  tally_add(&vec_last(&r->frames).tally, &t);
  r->spared = tally_sum(&t, r->spared);
  tally_free(&t);
  also_consulted(r, &vec_last(&r->frames), e->consulted);
  return false;
}

void recall_forget(struct recall *r, struct recall_entries *e) {
  if (!e)
    return;
  for (int i = 0; i < RECALL_ENTRIES; i++)
    drop_entry(r, e->at[i]);
  mem_free(e, sizeof *e);
}

void recall_clear(struct recall *r) {
  turn_off(r);
  memory_versions_clear(&r->versions);
  radix_free(&r->radix);
  vec_free(&r->lines);
  r->known = 0;
  r->synced = r->stale.length = 0;
}
