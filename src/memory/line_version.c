/* The version of a line: two states of it with the same version answer all loads alike, whatever else they differ in.
 * What came of loads is remembered by versions (search/recall.h, search/fate.h). */
#include "memory/line_internal.h"

/* A store that may be read, in the bytes of a version; without padding. */
struct version_store {
  uint64_t value; /* of these bytes: */
  uint64_t seen;  /* those that no later store hides whatever is lost, a bit each */
  uint8_t domain;
  bool joined; /* it survives together with the one before */
  bool cell;   /* a cell begins here */
  uint8_t unused[5];
};

static uint64_t masked_value(const struct store *s, uint64_t bytes) {
  uint64_t value = 0;
  for (uint64_t left = bytes; left; left &= left - 1) {
    int shift = (__builtin_ctzl(left) - s->offset) * 8;
    value |= s->value & (uint64_t)0xff << shift;
  }
  return value;
}

static void version_intervals(const struct memory *m, const struct line *l, struct str *out) {
  for (uint32_t left = m->failed; left; left &= left - 1)
    str_append_bytes(out, &l->interval[__builtin_ctz(left)], sizeof(struct interval));
}

/* With an open domain: the number of that execution, which stands for its stores; what is known about the line; and
 * stores of other domains. */
static void version_open(const struct memory *m, const struct line *l, struct str *out) {
  str_append_bytes(out, &m->opened, sizeof m->opened);
  version_intervals(m, l, out);
  for (size_t n = 0; n < l->stores.length; n++) {
    const struct store *s = &l->stores.data[n];
    struct version_store x = {.value = s->value,
                              .seen = byte_mask(s->offset, s->size),
                              .domain = s->domain,
                              .joined = n > 0 && l->stores.data[n - 1].position == s->position};
    if (!(m->open >> s->domain & 1))
      str_append_bytes(out, &x, sizeof x);
  }
}

/* The bytes that are read where no store in doubt is; and for each store in doubt which of its bytes can be seen, by
 * its number in `seen`. */
static void settled_bytes(const struct memory *m, const struct line *l, uint8_t *out,
                          uint64_t *seen) {
  uint64_t left = ~(uint64_t)0;
  for (size_t n = l->stores.length; n-- > 0;) {
    const struct store *s = &l->stores.data[n];
    enum visibility v = visibility(m, s, l->interval[s->domain]);
    uint64_t covers = byte_mask(s->offset, s->size) & left;
    seen[n] = v == EITHER ? covers : 0;
    if (v != VISIBLE)
      continue;
    left &= ~covers;
    for (; covers; covers &= covers - 1) {
      int i = __builtin_ctzl(covers);
      out[i] = (uint8_t)(s->value >> (i - s->offset) * 8);
    }
  }
  for (; left && l->initial; left &= left - 1)
    out[__builtin_ctzl(left)] = l->initial[__builtin_ctzl(left)];
}

static void version_settled(const struct memory *m, const struct line *l, struct str *out) {
  static VEC(uint64_t) seen;
  uint8_t bytes[LINE_BYTES] = {0};
  uint32_t position = 0;
  vec_reserve(&seen, l->stores.length);
  settled_bytes(m, l, bytes, seen.data);
  str_append_bytes(out, bytes, sizeof bytes);
  for (size_t n = 0; n < l->stores.length; n++) {
    const struct store *s = &l->stores.data[n];
    bool doubted = visibility(m, s, l->interval[s->domain]) == EITHER;
    struct version_store x = {.value = masked_value(s, seen.data[n]),
                              .seen = seen.data[n],
                              .domain = s->domain,
                              .joined = s->position == position,
                              .cell = doubted && s->domain == l->cells_domain &&
                                      begins_cell(l, s->position)};
    if (!x.seen && !x.cell)
      continue;
    str_append_bytes(out, &x, sizeof x);
    position = s->position;
  }
}

/* With memory.watched: which stores there are.  Their number says it, because there is one execution before the
 * failure. */
static void version_watched(const struct memory *m, const struct line *l, struct str *out) {
  uint64_t words[] = {l->stores.length, l->told, l->told_level, l->whole.length};
  str_append_bytes(out, words, sizeof words);
  version_intervals(m, l, out);
  str_append_bytes(out, l->whole.data, l->whole.length * sizeof *l->whole.data);
}

static bool is_noted(const struct line *l, uint32_t number) {
  for (size_t i = 0; i < l->whole.length; i++)
    if (l->whole.data[i] == number)
      return true;
  return false;
}

/* With memory.told_in, if stores may be torn: which can be read of these, and of those that say that others are not; and
 * what is noted about them. */
static void version_torn(const struct memory *m, const struct line *l, struct str *out) {
  uint64_t left = ~(uint64_t)0;
  uint32_t count = 0;
  for (size_t n = l->stores.length; n-- > 0 && left;) {
    const struct store *s = &l->stores.data[n];
    enum visibility v = visibility(m, s, l->interval[s->domain]);
    uint64_t covers = byte_mask(s->offset, s->size) & left;
    if (v == LOST || !covers)
      continue;
    bool whole = is_noted(l, MEMORY_WHOLE(s->step)), torn = is_noted(l, MEMORY_TORN(s->step));
    uint32_t words[] = {s->step, whole ? 2 : torn};
    if (s->event != STORE_NAMELESS && (!s->atomic || s->release) && m->failed >> s->domain & 1) {
      str_append_bytes(out, words, sizeof words);
      count++;
    }
    if (v == VISIBLE)
      left &= ~covers;
  }
  str_append_bytes(out, &count, sizeof count);
}

static uint32_t told_in(const struct memory *m, const struct line *l) {
  return m->told_in ? m->told_in(l) : 0;
}

/* told: memory.told_in.  It comes last and is not 0, as the last bytes of versions without it are. */
static uint32_t number_version(const struct memory *m, const struct line *l, uint32_t told,
                               struct memory_versions *v) {
  str_clear(&v->version);
  if (m->open)
    version_open(m, l, &v->version);
  else if (m->watched)
    version_watched(m, l, &v->version);
  else
    version_settled(m, l, &v->version);
  if (told % 2)
    version_torn(m, l, &v->version);
  if (told)
    str_append_bytes(&v->version, &told, sizeof told);
  return intern(&v->versions, str_text(&v->version), v->version.length);
}

/* Does the version follow from the stamp, the failed domains and memory.told_in alone, so that it can be cached? */
static bool version_is_stamped(const struct memory *m, const struct line *l) {
  return l->stamp && !m->open && !m->watched && !l->cells.length && !l->whole.length;
}

uint32_t memory_version(const struct memory *m, const struct line *l, struct memory_versions *v) {
  uint32_t told = told_in(m, l);
  if (!version_is_stamped(m, l))
    return number_version(m, l, told, v);
  size_t at = (size_t)l->number * MEMORY_VERSIONS_KEPT + (m->failed >> 1) % MEMORY_VERSIONS_KEPT;
  while (v->of.length <= at)
    vec_push(&v->of, ((struct memory_version_of){0}));
  struct memory_version_of *x = &v->of.data[at];
  if (x->stamp != l->stamp || x->failed != m->failed || x->initial != l->initial || x->told != told)
    *x = (struct memory_version_of){.stamp = l->stamp,
                                    .initial = l->initial,
                                    .told = told,
                                    .failed = m->failed,
                                    .version = number_version(m, l, told, v)};
  return x->version;
}

void memory_versions_clear(struct memory_versions *v) {
  vec_free(&v->of);
  intern_free(&v->versions);
  str_free(&v->version);
}

/* One execution at a time is open. */
static int open_domain(const struct memory *m) {
  return __builtin_ctz(m->open);
}

uint32_t memory_processes(const struct memory *m) {
  return m->open ? m->moments[open_domain(m)]->width : 0;
}

static bool is_part_of(const struct moments *all, uint32_t moment, uint32_t process) {
  const struct moment *x = &all->all.data[moment];
  return x->process == process || all->pool.data[x->times + process];
}

bool memory_concerns(const struct memory *m, const struct line *l, uint32_t process) {
  int domain = open_domain(m);
  for (size_t i = 0; i < l->stores.length; i++)
    if (l->stores.data[i].domain == domain &&
        is_part_of(m->moments[domain], l->stores.data[i].moment, process))
      return true;
  for (size_t i = 0; i < l->write_backs.length; i++)
    if (l->write_backs.data[i].domain == domain &&
        is_part_of(m->moments[domain], l->write_backs.data[i].moment, process))
      return true;
  return false;
}

uint32_t memory_cut_version(const struct memory *m, uint32_t process, struct memory_versions *v) {
  int domain = open_domain(m);
  uint32_t words[2] = {cut_low(&m->cuts, domain, process), cut_high(&m->cuts, domain, process)};
  return words[0] == 0 && words[1] == CUT_OPEN ? 0 : intern(&v->versions, words, sizeof words);
}
