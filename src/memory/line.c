#include "memory/line.h"
#include "base/check.h"
#include "memory/line_internal.h"
#include <string.h>

void line_init(struct line *l, uintptr_t address) {
  *l = (struct line){.address = address};
  for (int d = 0; d < DOMAINS_MAX; d++)
    l->interval[d].high = POSITION_MAX;
}

/* Push a change of what loads of a line can read, which gives the line a new stamp. */
static void note_change(struct memory *m, const struct change *c) {
  vec_push(&m->trail, *c);
  vec_last(&m->trail).stamp = c->line->stamp;
  c->line->stamp = ++m->stamps;
}

void memory_append(struct memory *m, struct line *l, const struct store *s, bool joined) {
  CHECK(s->offset + s->size <= LINE_BYTES && s->size <= 8 && s->domain < DOMAINS_MAX,
        "store of %d at %d, domain %d", s->size, s->offset, s->domain);
  CHECK(s->size > 0 && s->offset / 8 == (s->offset + s->size - 1) / 8,
        "a store of %d at %d crosses a word", s->size, s->offset);
  CHECK(!(m->failed >> s->domain & 1), "domain %d stores after its failure", s->domain);
  CHECK(!joined || (l->stores.length && vec_last(&l->stores).domain == s->domain),
        "second half of a store at 0x%lx, but no first", (unsigned long)l->address);
  note_change(m, &(struct change){.kind = CHANGE_APPENDED,
                                  .line = l,
                                  .domain = s->domain,
                                  .latest = l->latest[s->domain]});
  struct store copy = *s;
  copy.position = joined ? l->positions : ++l->positions;
  vec_push(&l->stores, copy);
  l->plain |= !s->atomic;
  l->latest[s->domain] = copy.position;
}

static void set_interval(struct memory *m, struct line *l, int domain, struct interval to) {
  struct interval from = l->interval[domain];
  CHECK(to.low <= to.high, "L1: [%u, %u]", to.low, to.high);
  CHECK(to.low >= from.low && to.high <= from.high, "L2: [%u, %u] in [%u, %u]", to.low, to.high,
        from.low, from.high);
  note_change(m, &(struct change){.line = l, .domain = (uint8_t)domain, .interval = from});
  l->interval[domain] = to;
}

void memory_raise(struct memory *m, struct line *l, int domain, uint32_t position) {
  struct interval i = l->interval[domain];
  CHECK(position <= l->positions, "write-back up to %u of %u stores", position, l->positions);
  if (position > i.low)
    set_interval(m, l, domain, (struct interval){position, i.high});
}

/* Copy the bytes of `s` that `wanted` (a mask over the line) asks for into a value whose byte 0 is
 * the line's byte `offset`. */
static uint64_t take_bytes(const struct store *s, uint64_t wanted, int offset, uint64_t value) {
  int begin = s->offset > offset ? s->offset : offset;
  for (int i = begin; i < s->offset + s->size && i - offset < 8; i++)
    if (wanted >> i & 1) {
      int shift = (i - offset) * 8;
      uint64_t byte = s->value >> ((i - s->offset) * 8) & 0xff;
      value = (value & ~((uint64_t)0xff << shift)) | byte << shift;
    }
  return value;
}

static uint64_t initial_bytes(const struct line *l, uint64_t wanted, int offset, uint64_t value) {
  if (!l->initial)
    return value;
  for (int i = offset; i < offset + 8 && i < LINE_BYTES; i++)
    if (wanted >> i & 1)
      value |= (uint64_t)l->initial[i] << ((i - offset) * 8);
  return value;
}

bool memory_certain(const struct memory *m, const struct line *l, int offset, int size,
                    uint64_t *value) {
  uint64_t wanted = byte_mask(offset, size), result = 0;
  for (size_t n = l->stores.length; n-- > 0 && wanted;) {
    const struct store *s = &l->stores.data[n];
    uint64_t covers = byte_mask(s->offset, s->size) & wanted;
    if (!covers)
      continue;
    switch (visibility(m, s, l->interval[s->domain])) {
    case VISIBLE:
      result = take_bytes(s, wanted, offset, result);
      wanted &= ~covers;
      break;
    case EITHER:
      return false;
    case LOST:
      break;
    }
  }
  *value = initial_bytes(l, wanted, offset, result);
  return true;
}

/* Do these bytes of the store have another value? */
static bool differs(const struct store *s, uint64_t bytes, int offset, uint64_t value) {
  for (; bytes; bytes &= bytes - 1) {
    int at = __builtin_ctzl(bytes);
    if ((uint8_t)(s->value >> (at - s->offset) * 8) != (uint8_t)(value >> (at - offset) * 8))
      return true;
  }
  return false;
}

static bool begins_with(const struct line *l, uint64_t bytes, int offset, uint64_t value) {
  for (; bytes; bytes &= bytes - 1) {
    int at = __builtin_ctzl(bytes);
    if ((l->initial ? l->initial[at] : 0) != (uint8_t)(value >> (at - offset) * 8))
      return false;
  }
  return true;
}

bool memory_holds(const struct memory *m, const struct line *l, int offset, int size,
                  uint64_t value) {
  uint64_t left = byte_mask(offset, size);
  uint32_t doubted = 0; /* domains; with one, stores of one value are one answer */
  for (size_t n = l->stores.length; n-- > 0 && left;) {
    const struct store *s = &l->stores.data[n];
    enum visibility v = visibility(m, s, l->interval[s->domain]);
    uint64_t covers = v == LOST ? 0 : byte_mask(s->offset, s->size) & left;
    if (differs(s, covers, offset, value))
      return false;
    if (covers && v == EITHER)
      doubted |= 1u << s->domain;
    if (v == VISIBLE)
      left &= ~covers;
  }
  return begins_with(l, left, offset, value) && (doubted & (doubted - 1)) == 0;
}

bool memory_never_other(const struct line *l, int offset, int size, uint64_t value) {
  uint64_t bytes = byte_mask(offset, size);
  for (size_t n = l->stores.length; n-- > 0;) {
    const struct store *s = &l->stores.data[n];
    if (differs(s, byte_mask(s->offset, s->size) & bytes, offset, value))
      return false;
  }
  return begins_with(l, bytes, offset, value);
}

uint64_t memory_newest(const struct memory *m, const struct line *l, int offset, int size) {
  uint64_t wanted = byte_mask(offset, size), result = 0;
  for (size_t n = l->stores.length; n-- > 0 && wanted;) {
    const struct store *s = &l->stores.data[n];
    uint64_t covers = byte_mask(s->offset, s->size) & wanted;
    if (!covers || visibility(m, s, l->interval[s->domain]) == LOST)
      continue;
    result = take_bytes(s, wanted, offset, result);
    wanted &= ~covers;
  }
  return initial_bytes(l, wanted, offset, result);
}

uint32_t memory_newest_read(const struct memory *m, const struct line *l, int domain, int offset,
                            int size) {
  uint64_t wanted = byte_mask(offset, size);
  for (size_t n = l->stores.length; n-- > 0 && wanted;) {
    const struct store *s = &l->stores.data[n];
    uint64_t covers = byte_mask(s->offset, s->size) & wanted;
    if (!covers || visibility(m, s, l->interval[s->domain]) != VISIBLE)
      continue;
    if (s->domain == domain)
      return s->position;
    wanted &= ~covers;
  }
  return 0;
}

/* State of the search for candidates: bytes found so far and the intervals assumed. */
struct scan {
  uint64_t wanted, value;
  const struct store *newest;
  uint32_t refined; /* bit per domain */
  struct interval interval[DOMAINS_MAX];
};

struct scanner {
  const struct memory *memory;
  const struct line *line;
  int offset;
  candidate_list *out;
};

static void emit(const struct scanner *x, const struct scan *s) {
  struct candidate c = {.store = s->newest ? s->newest->event : CANDIDATE_INITIAL,
                        .domain = s->newest ? s->newest->domain : 0};
  c.value = initial_bytes(x->line, s->wanted, x->offset, s->value);
  for (int d = 0; d < DOMAINS_MAX; d++)
    if (s->refined >> d & 1)
      c.refinements[c.refinement_count++] =
          (struct refinement){.domain = (uint8_t)d, .interval = s->interval[d]};
  vec_push(x->out, c);
}

static void note_newest(struct scan *s, const struct store *store) {
  if (!s->newest && store->event != STORE_NAMELESS)
    s->newest = store;
}

/* Stores from index n-1 down to 0 are still to be looked at. */
static void scan_from(const struct scanner *x, size_t n, struct scan s) {
  while (n-- > 0 && s.wanted) {
    const struct store *store = &x->line->stores.data[n];
    uint64_t covers = byte_mask(store->offset, store->size) & s.wanted;
    if (!covers)
      continue;
    struct interval *i = &s.interval[store->domain];
    enum visibility v = visibility(x->memory, store, *i);
    if (v == LOST)
      continue;
    if (v == EITHER) {
      struct scan without = s;
      s.refined |= 1u << store->domain;
      without.refined = s.refined;
      without.interval[store->domain].high = store->position - 1;
      i->low = store->position;
      s.value = take_bytes(store, s.wanted, x->offset, s.value);
      s.wanted &= ~covers;
      note_newest(&s, store);
      scan_from(x, n, s);
      s = without;
      continue;
    }
    s.value = take_bytes(store, s.wanted, x->offset, s.value);
    s.wanted &= ~covers;
    note_newest(&s, store);
  }
  emit(x, &s);
}

void memory_candidates(const struct memory *m, const struct line *l, int offset, int size,
                       candidate_list *out) {
  CHECK(size > 0 && offset / 8 == (offset + size - 1) / 8, "a load of %d at %d crosses a word",
        size, offset);
  struct scanner x = {m, l, offset, out};
  struct scan s = {.wanted = byte_mask(offset, size)};
  memcpy(s.interval, l->interval, sizeof s.interval);
  scan_from(&x, l->stores.length, s);
}

static struct interval interval_in(const struct line *l, const struct candidate *c, int domain) {
  for (int i = 0; c && i < c->refinement_count; i++)
    if (c->refinements[i].domain == domain)
      return c->refinements[i].interval;
  return l->interval[domain];
}

bool memory_sightings(const struct memory *m, const struct line *l, const struct candidate *c,
                      int domain, int offset, int size, sighting_list *out) {
  uint64_t wanted = byte_mask(offset, size);
  bool all = true;
  for (size_t n = l->stores.length; n-- > 0 && wanted;) {
    const struct store *s = &l->stores.data[n];
    uint64_t covers = byte_mask(s->offset, s->size) & wanted;
    if (!covers || s->domain >= domain)
      continue;
    enum visibility v = visibility(m, s, interval_in(l, c, s->domain));
    if (v != EITHER && s->event != STORE_NAMELESS)
      vec_push(out, ((struct sighting){.step = s->step,
                                       .position = s->position,
                                       .read = v == VISIBLE,
                                       .atomic = s->atomic,
                                       .release = s->release}));
    all &= v != EITHER;
    if (v != LOST)
      wanted &= ~covers;
  }
  return all;
}

/* ---- open domains ---- */

static struct cut_step step_of(const struct memory *m, int domain, uint32_t moment) {
  const struct moments *all = m->moments[domain];
  const struct moment *x = &all->all.data[moment];
  return (struct cut_step){.thread = x->process,
                           .tick = x->tick,
                           .times = &all->pool.data[x->times],
                           .threads = all->width,
                           .step = moment};
}

void memory_write_back(struct memory *m, struct line *l, int domain, uint32_t position,
                       uint32_t moment) {
  CHECK(position <= l->positions, "write-back up to %u of %u stores", position, l->positions);
  vec_push(&m->trail,
           ((struct change){.kind = CHANGE_WRITE_BACK, .line = l, .domain = (uint8_t)domain}));
  vec_push(
      &l->write_backs,
      ((struct write_back){.position = position, .moment = moment, .domain = (uint8_t)domain}));
}

static void note_cut(struct memory *m, size_t mark) {
  if (cut_mark(&m->cuts) != mark)
    vec_push(&m->trail, ((struct change){.kind = CHANGE_CUT, .cut = mark}));
}

bool memory_require(struct memory *m, int domain, const struct cut_step *s) {
  size_t mark = cut_mark(&m->cuts);
  bool possible = cut_require_step(&m->cuts, domain, s);
  note_cut(m, mark);
  return possible;
}

/* The newest store of the domain at or below that position; NULL: there is none. */
static const struct store *store_at(const struct line *l, int domain, uint32_t position) {
  for (size_t n = l->stores.length; n-- > 0;)
    if (l->stores.data[n].domain == domain && l->stores.data[n].position <= position)
      return &l->stores.data[n];
  return NULL;
}

/* The newest position that can have been stored: stores to one line are made one after the other, so those that the cut
 * excludes are the last. */
static uint32_t highest_possible(const struct memory *m, const struct line *l, int domain) {
  uint32_t high = l->interval[domain].high;
  for (size_t n = l->stores.length; n-- > 0;) {
    const struct store *s = &l->stores.data[n];
    if (s->domain != domain || s->position > high)
      continue;
    if (s->position <= l->interval[domain].low)
      break;
    struct cut_step x = step_of(m, domain, s->moment);
    if (cut_may_have(&m->cuts, domain, &x))
      break;
    high = s->position - 1;
  }
  return high;
}

static uint32_t lowest_certain(const struct memory *m, const struct line *l, int domain) {
  uint32_t low = l->interval[domain].low;
  for (size_t n = l->write_backs.length; n-- > 0;) {
    const struct write_back *w = &l->write_backs.data[n];
    if (w->domain != domain || w->position <= low)
      continue;
    struct cut_step x = step_of(m, domain, w->moment);
    if (cut_has(&m->cuts, domain, &x))
      low = w->position;
  }
  return low;
}

void memory_settle(struct memory *m, struct line *l) {
  for (uint32_t left = m->open; left; left &= left - 1) {
    int d = __builtin_ctz(left);
    if (!l->latest[d])
      continue;
    struct interval to = {lowest_certain(m, l, d), highest_possible(m, l, d)};
    if (to.low != l->interval[d].low || to.high != l->interval[d].high)
      set_interval(m, l, d, to);
  }
}

/* No write-back that covers the position took effect. */
static bool forbid_cover(struct memory *m, const struct line *l, int domain, uint32_t position) {
  bool possible = true;
  for (size_t n = 0; n < l->write_backs.length; n++) {
    const struct write_back *w = &l->write_backs.data[n];
    if (w->domain != domain || w->position < position)
      continue;
    struct cut_step s = step_of(m, domain, w->moment);
    possible &= cut_forbid_step(&m->cuts, domain, &s);
  }
  return possible;
}

/* The line's interval is the answer to a load: the store at its lower end was made, and no
 * write-back beyond its upper end took effect. */
static void tell_cut(struct memory *m, const struct line *l, int domain, struct interval i) {
  size_t mark = cut_mark(&m->cuts);
  bool possible = true;
  const struct store *lowest = i.low ? store_at(l, domain, i.low) : NULL;
  if (lowest) {
    struct cut_step s = step_of(m, domain, lowest->moment);
    possible = cut_require_step(&m->cuts, domain, &s);
  }
  if (i.high != POSITION_MAX)
    possible &= forbid_cover(m, l, domain, i.high + 1);
  CHECK(possible, "an answer at 0x%lx that no cut explains", (unsigned long)l->address);
  note_cut(m, mark);
}

bool memory_tell_apart(const struct memory *m, const struct line *l, const struct refinement *newer,
                       const struct candidate *older, struct candidate *both,
                       struct candidate *alone) {
  int domain = newer->domain;
  if (!(m->open >> domain & 1) || older->store == CANDIDATE_INITIAL || older->domain != domain)
    return false;
  const struct store *second = store_at(l, domain, newer->interval.low);
  struct cut_step s = step_of(m, domain, second->moment);
  if (cut_has(&m->cuts, domain, &s))
    return false;
  *alone = *older;
  alone->cut_domain = both->cut_domain = (uint8_t)domain;
  alone->unmade = both->made = second->moment + 1;
  return true;
}

/* Has the first moment come if the second one has? */
static bool is_before(const struct memory *m, int domain, uint32_t first, uint32_t second) {
  struct cut_step x = step_of(m, domain, first), now = step_of(m, domain, second);
  return x.thread == now.thread ? x.tick <= now.tick : x.tick <= now.times[x.thread];
}

/* By one of the first `count` write-backs of the line. */
static bool is_covered(const struct memory *m, const struct line *l, size_t count, int domain,
                       uint32_t position, uint32_t moment) {
  for (size_t n = 0; n < count; n++) {
    const struct write_back *w = &l->write_backs.data[n];
    if (w->domain == domain && w->position >= position && is_before(m, domain, w->moment, moment))
      return true;
  }
  return false;
}

bool memory_is_covered(const struct memory *m, const struct line *l, int domain, uint32_t position,
                       uint32_t moment) {
  return position <= l->interval[domain].low ||
         is_covered(m, l, l->write_backs.length, domain, position, moment);
}

size_t memory_next_cover(const struct memory *m, const struct line *l, size_t n,
                         const struct refinement *newer) {
  int domain = newer->domain;
  struct interval i = newer->interval;
  for (; m->open >> domain & 1 && n < l->write_backs.length; n++) {
    const struct write_back *w = &l->write_backs.data[n];
    if (w->domain != domain || w->position < i.low || w->position > i.high)
      continue;
    struct cut_step s = step_of(m, domain, w->moment);
    if (cut_may_have(&m->cuts, domain, &s) && !is_covered(m, l, n, domain, i.low, w->moment))
      return n + 1;
  }
  return 0;
}

/* What an answer says about the cut by itself (candidate.made, unmade, uncovered). */
static void tell_moments(struct memory *m, const struct line *l, const struct candidate *c) {
  size_t mark = cut_mark(&m->cuts);
  bool possible = true;
  if (c->made) {
    struct cut_step s = step_of(m, c->cut_domain, c->made - 1);
    possible = cut_require_step(&m->cuts, c->cut_domain, &s);
  }
  if (c->unmade) {
    struct cut_step s = step_of(m, c->cut_domain, c->unmade - 1);
    possible = cut_forbid_step(&m->cuts, c->cut_domain, &s);
  }
  if (c->uncovered)
    possible &= forbid_cover(m, l, c->cut_domain, c->uncovered);
  CHECK(possible, "an answer that no cut explains");
  note_cut(m, mark);
}

void memory_choose(struct memory *m, struct line *l, const struct candidate *c) {
  for (int i = 0; i < c->refinement_count; i++) {
    int domain = c->refinements[i].domain;
    set_interval(m, l, domain, c->refinements[i].interval);
    if (m->open >> domain & 1)
      tell_cut(m, l, domain, c->refinements[i].interval);
  }
  tell_moments(m, l, c);
}

/* ---- cells ---- */

#define CELLS_MAX 64

bool memory_divide(struct memory *m, struct line *l, const struct candidate *c, size_t count) {
  uint8_t domain = c[0].refinements[0].domain;
  uint32_t lowest = l->interval[domain].low;
  if (m->open || l->cells.length + count > CELLS_MAX ||
      (l->cells.length && l->cells_domain != domain))
    return false;
  for (size_t i = 0; i < count; i++)
    if (c[i].refinement_count != 1 || c[i].refinements[0].domain != domain)
      return false;
  vec_push(&m->trail, ((struct change){
                          .kind = CHANGE_DIVIDED, .line = l, .latest = (uint32_t)l->cells.length}));
  if (!l->cells.length)
    vec_push(&m->divided, l);
  l->cells_domain = domain;
  for (size_t i = 0; i < count; i++) {
    uint32_t begin = c[i].refinements[0].interval.low;
    if (begin > lowest && !begins_cell(l, begin))
      vec_push(&l->cells, begin);
  }
  return true;
}

static void undo_divide(struct memory *m, const struct change *c) {
  c->line->cells.length = c->latest;
  if (c->latest)
    return;
  CHECK(m->divided.length && vec_last(&m->divided) == c->line, "another line was divided");
  m->divided.length--;
}

static bool in_interval(const struct line *l, uint32_t position) {
  struct interval i = l->interval[l->cells_domain];
  return position > i.low && position <= i.high;
}

uint32_t memory_cells(const struct line *l) {
  uint32_t count = 1;
  for (size_t i = 0; i < l->cells.length; i++)
    count += in_interval(l, l->cells.data[i]);
  return count;
}

/* ---- what loads have told ---- */

uint64_t memory_untold(const struct line *l, int level, int offset, int size) {
  uint64_t told = l->told_level == level ? l->told : 0;
  return byte_mask(offset, size) & ~told;
}

void memory_tell(struct memory *m, struct line *l, int level, int offset, int size) {
  uint64_t more = memory_untold(l, level, offset, size);
  if (!more)
    return;
  vec_push(
      &m->trail,
      ((struct change){.kind = CHANGE_TOLD, .domain = l->told_level, .line = l, .stamp = l->told}));
  l->told = l->told_level == level ? l->told | more : more;
  l->told_level = (uint8_t)level;
}

void memory_note_whole(struct memory *m, struct line *l, uint32_t step) {
  vec_push(&m->trail, ((struct change){.kind = CHANGE_WHOLE, .line = l}));
  vec_push(&l->whole, step);
}

size_t memory_mark(const struct memory *m) {
  return m->trail.length;
}

static void undo_append(const struct change *c) {
  struct line *l = c->line;
  CHECK(l->stores.length && vec_last(&l->stores).domain == c->domain &&
            vec_last(&l->stores).position == l->positions,
        "the newest store at 0x%lx is not the one to undo", (unsigned long)l->address);
  uint32_t position = l->stores.data[--l->stores.length].position;
  bool joined = l->stores.length > 0 && vec_last(&l->stores).position == position;
  if (!joined)
    l->positions--;
  l->latest[c->domain] = c->latest;
}

void memory_undo(struct memory *m, size_t mark) {
  CHECK(mark <= m->trail.length, "undo to %zu, at %zu", mark, m->trail.length);
  if (mark < m->undone_to)
    m->undone_to = mark;
  while (m->trail.length > mark) {
    struct change c = vec_pop(&m->trail);
    switch ((enum change_kind)c.kind) {
    case CHANGE_INTERVAL:
      c.line->interval[c.domain] = c.interval;
      c.line->stamp = c.stamp;
      break;
    case CHANGE_APPENDED:
      undo_append(&c);
      c.line->stamp = c.stamp;
      break;
    case CHANGE_WRITE_BACK:
      c.line->write_backs.length--;
      break;
    case CHANGE_CUT:
      cut_undo(&m->cuts, c.cut);
      break;
    case CHANGE_DIVIDED:
      undo_divide(m, &c);
      break;
    case CHANGE_TOLD:
      c.line->told = c.stamp;
      c.line->told_level = c.domain;
      break;
    case CHANGE_WHOLE:
      c.line->whole.length--;
    }
  }
}
