/* What survivors know and have stored since the last failure, as a state (search/merge.h). */
#include "access/access.h"
#include "access/cxl.h"
#include "base/check.h"
#include "base/intern.h"
#include "base/str.h"
#include "door/door.h"
#include "process/fiber.h"
#include <string.h>

void cxl_touch(struct space_line *l) {
  if (l->noted)
    return;
  struct cxl_touched t = {.line = l};
  memcpy(t.before, space_alias(l->line.address), LINE_BYTES);
  cxl_set(&l->noted, true, sizeof l->noted);
  vec_push(&cxl.touched, t);
}

void cxl_know(struct space_line *l, uintptr_t address, int size, uint64_t value) {
  uint64_t bytes = (((uint64_t)1 << size) - 1) << (address % LINE_BYTES);
  cxl_touch(l);
  cxl_set(space_alias(address), value, size);
  if (!access_is_unseen())
    cxl_set(l->known, *l->known | bytes, 8);
}

/* Everything changed here was also changed with cxl_set since the failure, so going back undoes it. */
void cxl_forget(void) {
  size_t left = 0;
  for (size_t i = 0; i < cxl.touched.length; i++) {
    const struct cxl_touched *t = &cxl.touched.data[i];
    struct space_line *l = t->line;
    if (cxl.stores_apart)
      l->own = 0;
    space_copy_bytes(~l->own, space_alias(l->line.address), t->before);
    *l->known = l->own;
    l->noted = l->own;
    if (l->own)
      cxl.touched.data[left++] = *t;
  }
  cxl.touched.length = left;
}

/* What is not known is as in the cache before the failure, unless it is known to be lost. */
uint64_t cxl_peek(uintptr_t address, int size) {
  uint64_t value = 0;
  memcpy(&value, space_alias(address), (size_t)size);
  cxl_consult(address);
  if (cxl.options.poison || !fiber_current())
    return value;
  struct space_line *l = space_line(address);
  uint64_t known = cxl_settled() ? *l->known : ~l->doubt;
  for (int i = 0; i < size; i++) {
    int offset = (int)(address + (uintptr_t)i - l->line.address);
    if (offset >= LINE_BYTES || known >> offset & 1)
      continue;
    uint64_t byte = door->peek ? door->peek(&l->line, address + (uintptr_t)i, 1)
                               : memory_newest(&cxl.memory, &l->line, offset, 1);
    value = (value & ~((uint64_t)0xff << i * 8)) | byte << i * 8;
  }
  return value;
}

/* A line as bytes; without padding. */
struct put_line {
  uint64_t known, own;
  uint64_t number;
  unsigned char bytes[LINE_BYTES];
};

/* Shell sort: the list is nearly sorted most of the time. */
static void sort_touched(void) {
  struct cxl_touched *t = cxl.touched.data;
  size_t n = cxl.touched.length;
  for (size_t gap = n / 2; gap; gap /= 2)
    for (size_t i = gap; i < n; i++)
      for (size_t j = i; j >= gap && t[j].line->line.number < t[j - gap].line->line.number;
           j -= gap) {
        struct cxl_touched swap = t[j];
        t[j] = t[j - gap];
        t[j - gap] = swap;
      }
}

void cxl_put_state(struct str *out) {
  sort_touched();
  str_append_bytes(out, cxl.state.allocated, sizeof cxl.state.allocated);
  for (size_t i = 0; i < cxl.touched.length; i++) {
    const struct space_line *l = cxl.touched.data[i].line;
    struct put_line x = {.known = *l->known, .own = l->own, .number = l->line.number};
    space_copy_bytes(*l->known, x.bytes, space_alias(l->line.address));
    if (x.known)
      str_append_bytes(out, &x, sizeof x);
  }
}

static void set_line(const struct put_line *x) {
  struct space_line *l = space_line_by_index(x->number);
  cxl_touch(l);
  cxl_set(l->known, x->known, 8);
  cxl_set(&l->own, x->own, 8);
  unsigned char bytes[LINE_BYTES];
  memcpy(bytes, space_alias(l->line.address), LINE_BYTES);
  space_copy_bytes(x->known, bytes, x->bytes);
  for (uintptr_t word = 0; word < LINE_BYTES; word += 8) {
    uint64_t value;
    memcpy(&value, bytes + word, 8);
    if (x->known >> word & 0xff)
      cxl_set(space_alias(l->line.address + word), value, 8);
  }
}

/* pre: back at the failure. */
void cxl_set_known(const char *bytes, size_t n) {
  struct put_line x;
  memcpy(cxl.state.allocated, bytes, sizeof cxl.state.allocated);
  bytes += sizeof cxl.state.allocated;
  for (n -= sizeof cxl.state.allocated; n; bytes += sizeof x, n -= sizeof x) {
    CHECK(n >= sizeof x, "half a line");
    memcpy(&x, bytes, sizeof x);
    set_line(&x);
  }
}

void cxl_put_stores(struct str *out) {
  sort_touched();
  for (size_t i = 0; i < cxl.touched.length; i++) {
    const struct space_line *l = cxl.touched.data[i].line;
    struct put_line x = {.own = l->own, .number = l->line.number};
    space_copy_bytes(l->own, x.bytes, space_alias(l->line.address));
    if (l->own)
      str_append_bytes(out, &x, sizeof x);
  }
}

/* Which machine made the stores does not matter, because none fails any more. */
static void add_line(const struct put_line *x) {
  struct line *l = &space_line_by_index(x->number)->line;
  int domain = __builtin_ctz(~cxl.memory.failed);
  for (uint64_t left = x->own; left;) {
    int first = __builtin_ctzl(left), size = __builtin_ctzl(~(left >> first));
    size = size < 8 - first % 8 ? size : 8 - first % 8;
    struct store s = {.event = STORE_NAMELESS};
    s.offset = (uint8_t)first;
    s.size = (uint8_t)size;
    s.domain = (uint8_t)domain;
    memcpy(&s.value, x->bytes + first, (size_t)size);
    memory_append(&cxl.memory, l, &s, false);
    left &= ~((((uint64_t)1 << size) - 1) << first);
  }
}

void cxl_add_stores(const char *bytes, size_t n) {
  struct put_line x;
  for (; n; bytes += sizeof x, n -= sizeof x) {
    CHECK(n >= sizeof x, "half a line");
    memcpy(&x, bytes, sizeof x);
    add_line(&x);
  }
}

/* ---- while machines may fail ---- */

/* What a line was when it was last put, and its number then. */
struct put_before {
  uint64_t stamp, doubt;
  uint32_t failed, number;
  uint16_t dirty;
  unsigned char bytes[LINE_BYTES];
};

/* With the rules of the CXLMC paper also certain stores count one by one: which machine made them, and how many they
 * are. */
static bool all_counts(void) {
  return cxl.options.paper_coherence;
}

static bool is_certain(const struct line *l, const struct store *s) {
  return s->position <= l->interval[s->domain].low;
}

static bool is_lost(const struct line *l, const struct store *s) {
  return cxl.memory.failed >> s->domain & 1 && s->position > l->interval[s->domain].high;
}

/* A store that is in doubt, now or if its machine fails: the bytes of it that no later store hides for good.  Flushes
 * under way are described by how many of these stores they cover (cxl_covered), not by position. */
static void put_store(struct str *out, const struct line *l, const struct store *s, uint64_t bytes,
                      bool joined, bool all) {
  uint64_t value = s->value, position = 0;
  for (int i = 0; i < s->size; i++)
    if (!(bytes >> (s->offset + i) & 1))
      value &= ~((uint64_t)0xff << i * 8);
  if (all)
    position = (uint64_t)s->position << 32 | (uint64_t)is_certain(l, s) << 9 |
               (uint64_t)is_lost(l, s) << 10;
  uint64_t words[] = {value, bytes, position | (uint64_t)joined << 8 | s->domain};
  str_append_bytes(out, words, sizeof words);
}

/* Is the store part of the version, with these of its bytes still visible?  One of a live machine is even if none is:
 * before it is written back, the machine is asked whether it fails. */
static bool counts(const struct line *l, const struct store *s, uint64_t seen) {
  return !is_certain(l, s) && !is_lost(l, s) && (seen || !(cxl.memory.failed >> s->domain & 1));
}

/* Is the next store to the line the same once more, by the same machine? */
static bool is_repeated(const struct line *l, size_t n) {
  const struct store *s = &l->stores.data[n], *next = s + 1;
  return n + 1 < l->stores.length && next->domain == s->domain && next->offset == s->offset &&
         next->size == s->size && next->value == s->value;
}

enum put_how {
  PUT_ALL,      /* also certain and lost ones, with their positions */
  PUT_VISIBLE,  /* stores in doubt */
  PUT_DISTINCT, /* of those that a machine repeats, one */
};

/* The bytes that certain stores have left, and then stores. */
static void put_stores_of(struct str *out, const struct line *l, enum put_how how) {
  static VEC(uint64_t) seen; /* of each store */
  unsigned char bytes[LINE_BYTES] = {0};
  uint64_t left = ~(uint64_t)0;
  if (l->initial)
    memcpy(bytes, l->initial, LINE_BYTES);
  vec_reserve(&seen, l->stores.length);
  for (size_t n = l->stores.length; n-- > 0;) {
    const struct store *s = &l->stores.data[n];
    seen.data[n] = left & (((uint64_t)1 << s->size) - 1) << s->offset;
    if (!is_certain(l, s))
      continue;
    left &= ~seen.data[n];
    for (uint64_t k = seen.data[n]; k; k &= k - 1) {
      int i = __builtin_ctzl(k);
      bytes[i] = (unsigned char)(s->value >> (i - s->offset) * 8);
    }
  }
  str_append_bytes(out, bytes, sizeof bytes);
  uint32_t position = 0;
  for (size_t n = 0; n < l->stores.length; n++) {
    const struct store *s = &l->stores.data[n];
    if (how != PUT_ALL && !counts(l, s, seen.data[n]))
      continue;
    if (how == PUT_DISTINCT && is_repeated(l, n))
      continue;
    put_store(out, l, s, seen.data[n], s->position == position, how == PUT_ALL);
    position = s->position;
  }
}

uint32_t cxl_covered(const struct line *l, uint32_t position) {
  uint32_t count = 0;
  if (all_counts())
    return position;
  for (size_t n = 0; n < l->stores.length; n++) {
    const struct store *s = &l->stores.data[n];
    bool lives = !(cxl.memory.failed >> s->domain & 1);
    count += lives && !is_certain(l, s) && s->position <= position;
  }
  return count;
}

/* What loads find in the cache.  Bytes in doubt that other loads have decided are as if they had been read,
 * and what was there before is no matter for the others, which are left in `doubt`. */
static void put_view(struct str *out, const struct space_line *l) {
  unsigned char bytes[LINE_BYTES];
  uint64_t doubt = 0, left = l->doubt;
  memcpy(bytes, space_alias(l->line.address), LINE_BYTES);
  for (size_t n = l->line.stores.length; n-- > 0 && left;) {
    const struct store *s = &l->line.stores.data[n];
    uint64_t covers = left & (((uint64_t)1 << s->size) - 1) << s->offset;
    bool decided = is_certain(&l->line, s) || !(cxl.memory.failed >> s->domain & 1);
    if (!covers || (!decided && is_lost(&l->line, s)))
      continue;
    left &= ~covers;
    doubt |= decided ? 0 : covers;
    for (; covers; covers &= covers - 1) {
      int i = __builtin_ctzl(covers);
      bytes[i] = decided ? (unsigned char)(s->value >> (i - s->offset) * 8) : 0;
    }
  }
  for (; left; left &= left - 1)
    bytes[__builtin_ctzl(left)] = l->line.initial ? l->line.initial[__builtin_ctzl(left)] : 0;
  str_append_bytes(out, &doubt, sizeof doubt);
  str_append_bytes(out, bytes, sizeof bytes);
}

static struct {
  VEC(struct put_before) before; /* by line */
  struct intern numbers;
} versions;

uint32_t cxl_line_version(uint32_t number) {
  static struct str bytes;
  const struct space_line *l = space_line_by_index(number);
  if (!l->line.stores.length)
    return 0;
  while (versions.before.length <= number)
    vec_push(&versions.before, (struct put_before){0});
  struct put_before *b = &versions.before.data[number];
  const void *view = space_alias(l->line.address);
  if (b->number && b->stamp == l->line.stamp && b->failed == cxl.memory.failed &&
      b->dirty == l->dirty && b->doubt == l->doubt && memcmp(b->bytes, view, LINE_BYTES) == 0)
    return b->number;
  str_clear(&bytes);
  uint64_t dirty = l->dirty;
  str_append_bytes(&bytes, &dirty, sizeof dirty);
  put_view(&bytes, l);
  put_stores_of(&bytes, &l->line, all_counts() ? PUT_ALL : PUT_VISIBLE);
  *b = (struct put_before){.stamp = l->line.stamp,
                           .doubt = l->doubt,
                           .failed = cxl.memory.failed,
                           .dirty = l->dirty,
                           .number = intern(&versions.numbers, str_text(&bytes), bytes.length)};
  memcpy(b->bytes, view, LINE_BYTES);
  return b->number;
}

void cxl_put_contents(struct str *out) {
  for (size_t i = 1; i < space_line_count(); i++) {
    const struct space_line *l = space_line_by_index(i);
    uint64_t words[] = {i, l->dirty};
    if (!l->line.stores.length)
      continue;
    str_append_bytes(out, words, sizeof words);
    put_view(out, l);
    put_stores_of(out, &l->line, PUT_DISTINCT);
  }
}

void cxl_forget_versions(void) {
  vec_free(&versions.before);
  intern_free(&versions.numbers);
}

void cxl_consult_first(uint32_t number) {
  while (cxl.consulted.length <= number / 64)
    vec_push(&cxl.consulted, 0);
  cxl.consulted.data[number / 64] |= (uint64_t)1 << number % 64;
}

void cxl_put_machines(struct str *out) {
  uint64_t words[] = {cxl.state.failed, cxl.state.quiet & ~cxl.state.failed, cxl.state.looks};
  str_append_bytes(out, words, sizeof words);
  for (int m = 0; m < cxl.options.machines; m++)
    if (!cxl_failed(m))
      str_append_bytes(out, &cxl.state.allocated[m], sizeof cxl.state.allocated[m]);
}
