#include "search/trace_state.h"
#include "access/access.h"
#include "access/standing.h"
#include "base/map.h"
#include "base/str.h"
#include "process/world.h"
#include "search/trace_clock.h"
#include <string.h>

/* What a line holds after some of the execution's stores. */
struct content {
  uint64_t stored; /* bit per byte: the execution has stored it; the others are as before */
  uint8_t bytes[LINE_BYTES];
};

struct scanned {
  const struct space_line *line;
  uint32_t position;
  struct content content;
};

/* A content that a failure may leave of the line. */
struct possible {
  uint32_t line; /* its number */
  /* How many of the pending write-backs come at or before it, and do not take it away. */
  uint32_t rank;
  uint32_t content;
  uint32_t position;
};

/* A write-back that a thread has asked for (clwb, no fence yet): of the line's stores up to that position. */
struct pending {
  const struct space_line *line;
  uint32_t position;
};

static VEC(struct scanned) scanned; /* scratch, all of these */
static VEC(struct possible) possible;
static VEC(struct pending) pending;
static struct map places; /* by number of the line: 1 + its place in scanned */

static void put(struct str *out, uint64_t n) {
  str_append_bytes(out, &n, sizeof n);
}

static void add_pending(void *context, const struct space_line *l, uint32_t position) {
  (void)context;
  vec_push(&pending, ((struct pending){l, position}));
}

/* How many different positions, up to that one, the pending write-backs of the line have. */
static uint32_t rank_of(const struct space_line *l, uint32_t position) {
  uint32_t rank = 0;
  for (size_t i = 0; i < pending.length; i++) {
    const struct pending *p = &pending.data[i];
    bool counts = p->line == l && p->position <= position && p->position > l->written_back;
    for (size_t k = 0; k < i && counts; k++)
      counts = pending.data[k].line != l || pending.data[k].position != p->position;
    rank += counts;
  }
  return rank;
}

static struct scanned *scan(const struct space_line *l) {
  uint32_t *place = map_at(&places, 1 + (uint64_t)l->line.number);
  if (!*place) {
    vec_push(&scanned, ((struct scanned){.line = l}));
    *place = (uint32_t)scanned.length;
    if (!l->written_back)
      vec_push(&possible, ((struct possible){.line = l->line.number}));
  }
  return &scanned.data[*place - 1];
}

static void add_content(struct trace_states *t, const struct scanned *x) {
  struct possible p = {.line = x->line->line.number,
                       .rank = rank_of(x->line, x->position),
                       .content = intern(&t->contents, &x->content, sizeof x->content),
                       .position = x->position};
  vec_push(&possible, p);
}

/* The second half of a store of 16 bytes comes right after the first. */
static void scan_store(struct trace_states *t, const struct event *e) {
  struct scanned *x = scan(space_line(e->address));
  unsigned offset = (unsigned)(e->address % LINE_BYTES);
  memcpy(x->content.bytes + offset, &e->value, e->size);
  x->content.stored |= (((uint64_t)1 << e->size) - 1) << offset;
  if (e->joined && possible.length && vec_last(&possible).line == x->line->line.number &&
      vec_last(&possible).position == x->position)
    possible.length--;
  x->position += !e->joined;
  if (x->position >= x->line->written_back)
    add_content(t, x);
}

static bool is_less(const struct possible *a, const struct possible *b) {
  if (a->line != b->line)
    return a->line < b->line;
  return a->rank != b->rank ? a->rank < b->rank : a->content < b->content;
}

/* Shell sort: qsort is the program's. */
static void sort_possible(void) {
  struct possible *p = possible.data;
  for (size_t gap = possible.length / 2; gap; gap /= 2)
    for (size_t i = gap; i < possible.length; i++) {
      struct possible x = p[i];
      size_t k = i;
      for (; k >= gap && is_less(&x, &p[k - gap]); k -= gap)
        p[k] = p[k - gap];
      p[k] = x;
    }
}

/* What a failure can leave, in an order that does not depend on that of the stores. */
static void put_possible(struct trace_states *t, const event_list *events, size_t begin,
                         struct str *out) {
  scanned.length = possible.length = pending.length = 0;
  map_free(&places);
  standing_each_pending(add_pending, NULL);
  for (size_t i = begin; i < events->length; i++) {
    const struct event *e = &events->data[i];
    if (e->kind == EVENT_STORE || e->kind == EVENT_NT_STORE)
      scan_store(t, e);
  }
  sort_possible();
  for (size_t i = 0; i < possible.length; i++) {
    const struct possible *p = &possible.data[i];
    if (i && !is_less(p - 1, p))
      continue;
    put(out, (uint64_t)p->line << 32 | p->content);
    put(out, p->rank);
  }
  for (size_t i = 0; i < pending.length; i++)
    put(out, rank_of(pending.data[i].line, pending.data[i].position));
}

static void put_part(struct trace_states *t, const struct str *bytes, struct str *out) {
  uint32_t number = intern(&t->parts, str_text(bytes), bytes->length);
  str_append_bytes(out, &number, sizeof number);
}

static void put_said(struct outcome_mark before, struct str *out) {
  struct outcome_mark now = outcome_mark();
  put(out, (uint64_t)now.any);
  if (now.any)
    str_append_bytes(out, outcome_text() + before.length, now.length - before.length);
}

uint32_t trace_state_take(struct trace_states *t, struct outcome_mark said,
                          const event_list *events, size_t begin) {
  static struct str state, bytes;
  static world_gap_list gaps;
  str_clear(&state);
  gaps.length = 0;
  if (trace_clock_was_asked() || !standing_put(&t->parts, t->epoch, &state, &gaps))
    return 0;
  struct world_snapshot *world = world_save();
  bool can = world_put_rest(world, &gaps, &state);
  world_drop(world);
  if (!can)
    return 0;
  str_clear(&bytes);
  access_put_state(&bytes, false);
  put_part(t, &bytes, &state);
  str_clear(&bytes);
  put_said(said, &bytes);
  if (events)
    put_possible(t, events, begin, &bytes);
  put_part(t, &bytes, &state);
  return intern(&t->states, str_text(&state), state.length);
}

size_t trace_states_bytes(const struct trace_states *t) {
  return t->parts.bytes.capacity + t->contents.bytes.capacity + t->states.bytes.capacity;
}

void trace_states_clear(struct trace_states *t) {
  intern_free(&t->parts);
  intern_free(&t->contents);
  intern_free(&t->states);
  t->epoch++;
  world_forget_rests();
}
