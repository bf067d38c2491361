#include "explore/sharing.h"
#include "base/check.h"
#include "base/hash.h"
#include "base/str.h"
#include <stdlib.h>

#define THREADS_TOLD_APART 64

/* Sets of threads, a bit each. */
struct sharing_entry {
  uintptr_t key; /* line number, or ~address of a lock */
  uint64_t readers, writers;
  uint64_t alone;       /* relied on: no other thread writes */
  uint64_t exclusive;   /* relied on: no other thread touches it */
  uint32_t run, number; /* in the newest execution that came here */
  uint32_t told;        /* replay: 1 + index of the fact about it; 0: it is not shared */
  bool noticed;         /* in that execution: an access to it was a step, because others touch it */
  uint64_t unnoticed;   /* in that execution: threads whose loads of it were no steps */
  uint64_t news;        /* a hash of what was told to other workers last */
};

static struct sharing_entry *entry(struct sharing *s, uintptr_t key) {
  uint32_t *number = map_at(&s->numbers, key);
  if (!*number) {
    vec_push(&s->entries, ((struct sharing_entry){.key = key}));
    *number = (uint32_t)s->entries.length;
  }
  return &s->entries.data[*number - 1];
}

/* The keys that the operation is about; an access lies within two lines at most. */
static int keys_of(const struct sharing *s, const struct operation *o, uintptr_t keys[2]) {
  if (o->kind == OPERATION_LOCK) {
    keys[0] = ~o->address ^ s->realm;
    return 1;
  }
  uintptr_t first = o->address >> OPERATION_LINE_SHIFT;
  uintptr_t last = (o->address + o->size - 1) >> OPERATION_LINE_SHIFT;
  CHECK(o->size > 0 && last - first <= 1, "an access of %u bytes in one step", o->size);
  keys[0] = (1 + first) ^ s->realm;
  keys[1] = (1 + last) ^ s->realm;
  return keys[0] == keys[1] ? 1 : 2;
}

static bool is_read(const struct operation *o) {
  return o->kind == OPERATION_READ;
}

static bool about_something(const struct operation *o) {
  return o->kind == OPERATION_READ || o->kind == OPERATION_WRITE ||
         (o->kind == OPERATION_LOCK && o->address);
}

bool sharing_rely(struct sharing *s, const struct operation *o) {
  uintptr_t keys[2];
  if (!about_something(o) || o->thread >= THREADS_TOLD_APART)
    return false;
  uint64_t self = (uint64_t)1 << o->thread;
  int n = keys_of(s, o, keys);
  for (int i = 0; i < n; i++) {
    const struct sharing_entry *e = entry(s, keys[i]);
    uint64_t others = is_read(o) ? e->writers : e->writers | e->readers;
    if (others & ~self)
      return false;
  }
  for (int i = 0; i < n; i++) {
    struct sharing_entry *e = entry(s, keys[i]);
    if (is_read(o))
      e->alone |= self;
    else
      e->exclusive |= self;
  }
  return true;
}

bool sharing_note(struct sharing *s, const struct operation *o) {
  uintptr_t keys[2];
  if (!about_something(o))
    return true;
  uint64_t self = o->thread < THREADS_TOLD_APART ? (uint64_t)1 << o->thread : ~(uint64_t)0;
  uint64_t others = o->thread < THREADS_TOLD_APART ? ~self : self;
  bool expected = true;
  for (int i = 0, n = keys_of(s, o, keys); i < n; i++) {
    struct sharing_entry *e = entry(s, keys[i]);
    if (is_read(o))
      e->readers |= self;
    else
      e->writers |= self;
    uint64_t relied = is_read(o) ? e->exclusive : e->exclusive | e->alone;
    expected &= !(relied & others);
  }
  return expected;
}

/* ---- numbers of things in an execution ---- */

static uint32_t told(const struct sharing *s, uint32_t number) {
  for (size_t i = 0; i < s->facts.length; i++)
    if (s->facts.data[i].number == number)
      return (uint32_t)i + 1;
  return 0;
}

static uint32_t index_of(const struct sharing *s, const struct sharing_entry *e) {
  return (uint32_t)(e - s->entries.data);
}

static void number(struct sharing *s, struct sharing_entry *e) {
  if (e->run == s->run)
    return;
  vec_push(&s->trail, ((struct sharing_undo){index_of(s, e), true, false, 0}));
  e->run = s->run;
  e->number = s->touched++;
  e->told = s->told ? told(s, e->number) : 0;
  e->noticed = false;
  e->unnoticed = 0;
}

/* Replay: is the access a step? */
static bool shared_as_told(const struct sharing *s, const struct sharing_entry *e,
                           const struct operation *o) {
  return e->told && !(is_read(o) && s->facts.data[e->told - 1].writer == o->thread);
}

void sharing_begin(struct sharing *s) {
  s->run++;
  s->touched = 0;
  s->given_back.length = 0;
  s->trail.length = 0;
}

struct sharing_mark sharing_mark(const struct sharing *s) {
  return (struct sharing_mark){s->touched, s->given_back.length, s->trail.length};
}

void sharing_back(struct sharing *s, struct sharing_mark m) {
  CHECK(m.trail <= s->trail.length && m.touched <= s->touched, "back to change %zu of %zu", m.trail,
        s->trail.length);
  while (s->trail.length > m.trail) {
    struct sharing_undo u = vec_pop(&s->trail);
    struct sharing_entry *e = &s->entries.data[u.entry];
    e->run = u.numbered ? 0 : s->run;
    e->noticed = u.noticed;
    e->unnoticed = u.unnoticed;
  }
  s->touched = m.touched;
  s->given_back.length = m.given_back;
}

/* What a thread does to it is noticed by others, or not. */
static void note_noticed(struct sharing *s, struct sharing_entry *e, bool noticed,
                         uint64_t unnoticed) {
  if ((!noticed || e->noticed) && !(unnoticed & ~e->unnoticed))
    return;
  vec_push(&s->trail, ((struct sharing_undo){index_of(s, e), false, e->noticed, e->unnoticed}));
  e->noticed |= noticed;
  e->unnoticed |= unnoticed;
}

static void sort(sharing_facts *facts) {
  for (size_t i = 1; i < facts->length; i++)
    for (size_t k = i; k > 0 && facts->data[k].number < facts->data[k - 1].number; k--) {
      struct sharing_fact f = facts->data[k];
      facts->data[k] = facts->data[k - 1];
      facts->data[k - 1] = f;
    }
}

void sharing_tell(const struct sharing *s, sharing_facts *out) {
  out->length = 0;
  for (size_t i = 0; i < s->entries.length; i++) {
    const struct sharing_entry *e = &s->entries.data[i];
    if (e->run != s->run || !e->noticed)
      continue;
    uint32_t writer = e->unnoticed ? (uint32_t)__builtin_ctzll(e->unnoticed) : SHARING_NOBODY;
    vec_push(out, ((struct sharing_fact){e->number, writer}));
  }
  for (size_t i = 0; i < s->given_back.length; i++)
    vec_push(out, s->given_back.data[i]);
  sort(out);
}

/* Threads are alike (symmetry): if one of them stores to what several touch, any of them may.  False: one has relied on
 * being the only one. */
static bool let_all_write(struct sharing_entry *e) {
  uint64_t all = e->readers | e->writers;
  if (!e->writers || !(all & (all - 1)) || !~e->writers)
    return true;
  e->writers = ~(uint64_t)0;
  return !(e->alone | e->exclusive);
}

/* note and rely in one go: most accesses come here. */
enum sharing_answer sharing_touch(struct sharing *s, const struct operation *o) {
  uintptr_t keys[2];
  int n = keys_of(s, o, keys);
  struct sharing_entry *entries[2];
  vec_reserve(&s->entries, s->entries.length + 2); /* so that they stay where they are */
  bool read = is_read(o), expected = true, shared = o->thread >= THREADS_TOLD_APART;
  uint64_t self = shared ? ~(uint64_t)0 : (uint64_t)1 << o->thread, others = shared ? self : ~self;
  for (int i = 0; i < n; i++) {
    struct sharing_entry *e = entries[i] = entry(s, keys[i]);
    number(s, e);
    if (s->told) {
      shared |= shared_as_told(s, e, o);
      continue;
    }
    *(read ? &e->readers : &e->writers) |= self;
    expected &= !s->alike || let_all_write(e);
    expected &= !((read ? e->exclusive : e->exclusive | e->alone) & others);
    bool noticed = ((read ? e->writers : e->writers | e->readers) & others) != 0;
    shared |= noticed;
    note_noticed(s, e, noticed, read && !noticed ? self : 0);
  }
  if (!expected)
    return SHARING_BROKEN;
  for (int i = 0; i < n && !shared && !s->told; i++)
    *(read ? &entries[i]->alone : &entries[i]->exclusive) |= self;
  return shared ? SHARING_SHARED : SHARING_PRIVATE;
}

/* ---- giving back ---- */

struct span {
  const struct sharing *s;
  uintptr_t first, last; /* keys */
  uint64_t at;
};

/* The next entry of the lines; NULL: there is none any more. */
static struct sharing_entry *next_known(struct span *span) {
  const struct sharing *s = span->s;
  uint64_t lines = span->last - span->first + 1;
  /* Whichever is shorter: the lines, or all entries. */
  bool look_through = lines > s->entries.length;
  while (span->at < (look_through ? s->entries.length : lines)) {
    uint64_t at = span->at++;
    uint32_t n = look_through ? (uint32_t)at + 1 : map_get(&s->numbers, span->first + at);
    struct sharing_entry *e = n ? &s->entries.data[n - 1] : NULL;
    if (e && e->key >= span->first && e->key <= span->last)
      return e;
  }
  return NULL;
}

/* Lines that nobody has touched have no entry, and need none: an access before they are given back makes one, and an
 * access afterwards is found by access/lifetime.c, which keeps the blocks. */
static enum sharing_answer give_back(struct sharing *s, const struct operation *o) {
  struct span span = {.s = s,
                      .first = 1 + (o->address >> OPERATION_LINE_SHIFT),
                      .last = 1 + ((o->address + o->size - 1) >> OPERATION_LINE_SHIFT)};
  bool expected = true, shared = o->thread >= THREADS_TOLD_APART;
  uint64_t self = shared ? ~(uint64_t)0 : (uint64_t)1 << o->thread, others = shared ? self : ~self;
  struct span again = span;
  for (struct sharing_entry *e; (e = next_known(&span));) {
    shared |= ((e->readers | e->writers) & others) != 0;
    expected &= !((e->exclusive | e->alone) & others);
    e->writers |= self;
    expected &= !s->alike || let_all_write(e);
  }
  for (struct sharing_entry *e; !shared && expected && (e = next_known(&again));)
    e->exclusive |= self;
  return !expected ? SHARING_BROKEN : shared ? SHARING_SHARED : SHARING_PRIVATE;
}

enum sharing_answer sharing_give_back(struct sharing *s, const struct operation *o) {
  uint32_t n = s->touched++;
  if (s->told)
    return told(s, n) ? SHARING_SHARED : SHARING_PRIVATE;
  enum sharing_answer answer = give_back(s, o);
  if (answer != SHARING_PRIVATE)
    vec_push(&s->given_back, ((struct sharing_fact){n, SHARING_NOBODY}));
  return answer;
}

bool sharing_expect(struct sharing *s, const struct operation *o) {
  uintptr_t keys[2];
  bool new = false;
  for (int i = 0, n = keys_of(s, o, keys); i < n; i++) {
    struct sharing_entry *e = entry(s, keys[i]);
    new |= ~e->writers != 0;
    e->writers = ~(uint64_t)0;
  }
  return new;
}

bool sharing_expects(const struct sharing *s, const struct operation *o) {
  uintptr_t keys[2];
  keys_of(s, o, keys);
  uint32_t number = map_get(&s->numbers, keys[0]);
  return number && !~s->entries.data[number - 1].writers;
}

/* ---- others ---- */

static uint64_t hash_entry(const struct sharing_entry *e) {
  return hash_u64(hash_u64(hash_u64(hash_u64(1, e->readers), e->writers), e->alone), e->exclusive);
}

static void tell(const struct sharing_entry *e, uint64_t alone, uint64_t exclusive,
                 struct str *out) {
  str_format(out, "%lx.%lx.%lx.%lx.%lx,", (unsigned long)e->key, (unsigned long)e->readers,
             (unsigned long)e->writers, (unsigned long)alone, (unsigned long)exclusive);
}

void sharing_tell_news(struct sharing *s, struct str *out) {
  for (size_t i = 0; i < s->entries.length; i++) {
    struct sharing_entry *e = &s->entries.data[i];
    uint64_t now = hash_entry(e);
    if (e->news != now)
      tell(e, e->alone, e->exclusive, out);
    e->news = now;
  }
}

static bool is_shared(const struct sharing_entry *e) {
  uint64_t all = e->readers | e->writers;
  return e->writers && all & (all - 1);
}

void sharing_tell_shared(const struct sharing *s, struct str *out) {
  for (size_t i = 0; i < s->entries.length; i++)
    if (is_shared(&s->entries.data[i]))
      tell(&s->entries.data[i], 0, 0, out);
}

/* Is there nobody who relies on something that another thread contradicts? */
static bool holds(const struct sharing_entry *e) {
  bool good = true;
  for (uint64_t left = e->alone; left; left &= left - 1)
    good &= !(e->writers & ~(left & -left));
  for (uint64_t left = e->exclusive; left; left &= left - 1)
    good &= !((e->readers | e->writers) & ~(left & -left));
  return good;
}

bool sharing_hear(struct sharing *s, const char *text) {
  bool good = true;
  while (*text) {
    uint64_t numbers[5];
    for (int i = 0; i < 5; i++) {
      char *end;
      numbers[i] = strtoull(text, &end, 16);
      text = *end ? end + 1 : end;
    }
    struct sharing_entry *e = entry(s, numbers[0]);
    e->readers |= numbers[1];
    e->writers |= numbers[2];
    e->alone |= numbers[3];
    e->exclusive |= numbers[4];
    good &= holds(e);
  }
  return good;
}

void sharing_free(struct sharing *s) {
  vec_free(&s->trail);
  map_free(&s->numbers);
  vec_free(&s->entries);
  vec_free(&s->given_back);
  vec_free(&s->facts);
  *s = (struct sharing){0};
}

void sharing_restart(struct sharing *s) {
  s->restarts++;
  for (size_t i = 0; i < s->entries.length; i++)
    s->entries.data[i].alone = s->entries.data[i].exclusive = s->entries.data[i].news = 0;
}
