/* dpor.h against plain depth-first search, on small random programs of a toy machine with and without
 * store buffers: the same final states, and exactly one execution for each trace: who reads from whom, the orders of
 * the stores to each variable and of the operations on each lock, and who meets whom at a barrier. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/hash.h"
#include "base/rng.h"
#include "explore/dpor.h"
#include "explore/dpor_internal.h"
#include "explore/dpor_unit.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS 3
#define STEPS 5
#define VARIABLES 3
#define EVENTS (2 * THREADS * STEPS)

enum kind { LOAD, STORE, ADD, LOCK, UNLOCK, FENCE, SWAP, CAS, COUNT, FLIP, MEET };

struct step {
  enum kind kind;
  int variable; /* locks: 0 or 1 */
  int value, expected;
};

struct program {
  int threads, length[THREADS];
  struct step steps[THREADS][STEPS];
  bool buffers;
  int meet;       /* so many threads at the barrier make a round */
  bool serial;    /* they look at who was the last */
  uint64_t order; /* in which options are listed; 0: by thread */
};

struct buffered {
  int variable, value;
};

struct machine {
  int at[THREADS], memory[VARIABLES], owner[2]; /* owner: 1 + thread */
  long sum[THREADS];                            /* of what it has loaded */
  bool waits[THREADS];                          /* at the barrier */
  int arrived, rounds;
  struct buffered buffer[THREADS][STEPS];
  int first[THREADS], last[THREADS];
};

enum mode { USUAL, LOCKED, MEETING };

static enum kind meeting_kind(struct rng *r, enum kind usual) {
  static const enum kind kinds[] = {MEET, MEET, COUNT, COUNT, FLIP};
  uint64_t which = rng_next(r) % 8;
  return which < 5 ? kinds[which] : usual;
}

static void make_program(struct rng *r, struct program *p, bool buffers, enum mode mode) {
  memset(p, 0, sizeof *p);
  p->buffers = buffers;
  p->order = mode != USUAL ? rng_next(r) : 0;
  p->threads = 2 + (int)(rng_next(r) % 2);
  if (mode == MEETING) {
    p->meet = 1 + (int)(rng_next(r) % (uint64_t)p->threads);
    p->serial = rng_next(r) % 3 == 0;
  }
  for (int t = 0; t < p->threads; t++) {
    int steps = 1 + (int)(rng_next(r) % (p->threads == 2 ? 4 : 3)), held = 0;
    for (int i = 0; i < steps && p->length[t] < STEPS; i++) {
      struct step *s = &p->steps[t][p->length[t]++];
      int what = (int)(rng_next(r) % 12), how = mode != USUAL ? (int)(rng_next(r) % 5) : 0;
      s->kind = what < 4 ? LOAD : what < 8 ? STORE : what < 9 ? ADD : what < 11 ? LOCK : FENCE;
      if (how >= 3)
        s->kind = how == 3 ? SWAP : CAS;
      if (mode == MEETING)
        s->kind = meeting_kind(r, s->kind);
      if (s->kind == MEET &&
          held) /* nobody tells of who waits for the lock for ever (dpor_waits) */
        s->kind = COUNT;
      s->expected = (int)(rng_next(r) % 3);
      s->variable = (int)(rng_next(r) % (s->kind == LOCK || mode != USUAL ? 2 : VARIABLES));
      s->value = 1 + (int)(rng_next(r) % 3);
      if (s->kind == LOCK && held) {
        s->kind = UNLOCK;
        s->variable = held - 1;
        held = 0;
      } else if (s->kind == LOCK) {
        held = 1 + s->variable;
      }
    }
    if (held && p->length[t] < STEPS)
      p->steps[t][p->length[t]++] = (struct step){.kind = UNLOCK, .variable = held - 1};
  }
}

static bool buffer_empty(const struct machine *m, int t) {
  return m->first[t] == m->last[t];
}

/* Stores to a buffer happen at once and unseen. */
static void run_unseen(const struct program *p, struct machine *m) {
  for (int t = 0; t < p->threads; t++)
    while (p->buffers && !m->waits[t] && m->at[t] < p->length[t] &&
           p->steps[t][m->at[t]].kind == STORE) {
      const struct step *s = &p->steps[t][m->at[t]++];
      m->buffer[t][m->last[t]++] = (struct buffered){s->variable, s->value};
    }
}

/* Which of its stores answers a load of that variable from the buffer, 1, 2, ...; 0: none. */
static uint32_t answer(const struct machine *m, int t, int variable) {
  int i = m->last[t];
  while (i > m->first[t] && m->buffer[t][i - 1].variable != variable)
    i--;
  return i > m->first[t] ? (uint32_t)i : 0;
}

static uint32_t list_options(const struct program *p, const struct machine *m,
                             struct operation *out) {
  uint32_t n = 0;
  for (int t = 0; t < p->threads; t++) {
    if (m->at[t] < p->length[t] && !m->waits[t]) {
      const struct step *s = &p->steps[t][m->at[t]];
      struct operation o = {.thread = (uint16_t)t,
                            .drained = s->kind != LOAD && s->kind != STORE,
                            .size = 8,
                            .address = 64 + 8 * (uintptr_t)s->variable};
      o.kind = s->kind == LOAD                      ? OPERATION_READ
               : s->kind == STORE || s->kind == ADD ? OPERATION_WRITE
               : s->kind == FENCE                   ? OPERATION_FENCE
                                                    : OPERATION_LOCK;
      o.before[0] = (uint64_t)m->memory[s->variable];
      if (s->kind == COUNT || s->kind == FLIP) {
        o.kind = OPERATION_WRITE;
        o.blind = true;
        o.change = OPERATION_CHANGE_RMW + (s->kind == FLIP    ? ABI_RMW_XOR
                                           : s->expected == 1 ? ABI_RMW_SUB
                                                              : ABI_RMW_ADD);
        o.operand[0] = (uint64_t)s->value;
      } else if (s->kind == SWAP || s->kind == CAS) {
        o.change = s->kind == CAS ? OPERATION_CHANGE_CAS : OPERATION_CHANGE_RMW + ABI_RMW_XCHG;
        o.operand[0] = (uint64_t)(s->kind == CAS ? s->expected : s->value);
        if (s->kind == CAS && s->expected == s->value)
          o.change = OPERATION_CHANGE_NEVER;
        o.kind = operation_stores(&o, o.before) ? OPERATION_WRITE : OPERATION_READ;
      }
      o.lock = s->kind == LOCK     ? OPERATION_LOCK_ACQUIRE
               : s->kind == UNLOCK ? OPERATION_LOCK_RELEASE
               : s->kind == MEET   ? OPERATION_LOCK_ARRIVE
                                   : OPERATION_LOCK_OTHER;
      if (s->kind == MEET) {
        o.address = 32;
        o.round = (uint16_t)(1 + m->rounds);
        o.lacks = (uint16_t)(p->meet - m->arrived);
        o.serial = p->serial;
      }
      o.store = s->kind == LOAD ? answer(m, t, s->variable) : 0;
      bool blocked =
          (s->kind == LOCK && m->owner[s->variable]) || (o.drained && !buffer_empty(m, t));
      if (!blocked)
        out[n++] = o;
    }
    if (!buffer_empty(m, t)) {
      const struct buffered *b = &m->buffer[t][m->first[t]];
      out[n++] = (struct operation){.kind = OPERATION_WRITE,
                                    .thread = (uint16_t)t,
                                    .drain = true,
                                    .store = 1 + (uint32_t)m->first[t],
                                    .before = {(uint64_t)m->memory[b->variable]},
                                    .size = 8,
                                    .address = 64 + 8 * (uintptr_t)b->variable};
    }
  }
  return n;
}

static void carry_out(const struct program *p, struct machine *m, const struct operation *o) {
  int t = o->thread;
  if (o->drain) {
    const struct buffered *b = &m->buffer[t][m->first[t]++];
    m->memory[b->variable] = b->value;
    return;
  }
  const struct step *s = &p->steps[t][m->at[t]++];
  int value = m->memory[s->variable];
  for (int i = m->first[t]; i < m->last[t]; i++)
    if (m->buffer[t][i].variable == s->variable)
      value = m->buffer[t][i].value;
  switch (s->kind) {
  case LOAD:
    m->sum[t] = m->sum[t] * 7 + value + 1;
    break;
  case STORE:
    m->memory[s->variable] = s->value;
    break;
  case ADD:
    m->sum[t] = m->sum[t] * 7 + value + 1;
    m->memory[s->variable] += s->value;
    break;
  case LOCK:
    m->owner[s->variable] = 1 + t;
    break;
  case UNLOCK:
    m->owner[s->variable] = 0;
    break;
  case FENCE:
    break;
  case COUNT:
    m->memory[s->variable] += s->expected == 1 ? -s->value : s->value;
    break;
  case FLIP:
    m->memory[s->variable] ^= s->value;
    break;
  case MEET:
    m->waits[t] = ++m->arrived < p->meet;
    if (m->waits[t])
      break;
    m->sum[t] = p->serial ? m->sum[t] * 7 + 1 : m->sum[t];
    m->arrived = 0;
    m->rounds++;
    memset(m->waits, 0, sizeof m->waits);
    break;
  case SWAP:
  case CAS:
    m->sum[t] = m->sum[t] * 7 + value + 1;
    if (s->kind == SWAP || value == s->expected)
      m->memory[s->variable] = s->value;
    break;
  }
}

/* A number for a final state, deadlocks included. */
static uint64_t state_of(const struct program *p, const struct machine *m) {
  uint64_t h = 0;
  for (int v = 0; v < VARIABLES; v++)
    h = hash_u64(h, (uint64_t)m->memory[v]);
  for (int t = 0; t < p->threads; t++)
    h = hash_u64(hash_u64(h, (uint64_t)m->sum[t]), (uint64_t)(2 * m->at[t] + m->waits[t]));
  return h;
}

struct set {
  uint64_t items[200000];
  size_t count;
};

static int compare(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

static void make_set(struct set *s) {
  qsort(s->items, s->count, sizeof *s->items, compare);
  size_t n = 0;
  for (size_t i = 0; i < s->count; i++)
    if (i == 0 || s->items[i] != s->items[n - 1])
      s->items[n++] = s->items[i];
  s->count = n;
}

static void add(struct set *s, uint64_t item) {
  if (s->count == sizeof s->items / sizeof *s->items)
    make_set(s);
  assert_true(s->count < sizeof s->items / sizeof *s->items);
  s->items[s->count++] = item;
}

static uint64_t name_of(uint32_t process, uint64_t number) {
  return hash_u64(hash_u64(77, process), number);
}

/* Does the order of the two, an earlier one and a later one, make a difference by itself? */
static bool is_ordered(const struct operation *a, const struct operation *b) {
  if (a->lock == OPERATION_LOCK_ARRIVE && b->lock == OPERATION_LOCK_ARRIVE && a->round == b->round)
    return a->serial && b->lacks == 1;
  return !operations_add_up(a, b) && a->kind == b->kind &&
         (a->kind == OPERATION_WRITE || a->kind == OPERATION_LOCK) && a->address == b->address;
}

/* The trace of a schedule, as a number. */
static uint64_t trace_of(const struct operation *trace, size_t length) {
  uint64_t names[EVENTS], sum = 0;
  for (size_t i = 0; i < length; i++) {
    const struct operation *o = &trace[i];
    uint64_t own = 1, source = 0, others = 0;
    for (size_t j = 0; j < i; j++) {
      own += dpor_process(&trace[j]) == dpor_process(o);
      if (is_ordered(&trace[j], o))
        others += hash_u64(5, names[j]);
      if (trace[j].kind == OPERATION_WRITE && trace[j].address == o->address)
        source = (trace[j].blind ? source : 0) + names[j];
    }
    if (o->kind == OPERATION_READ && o->store)
      source = name_of(dpor_process(o) + 1, o->store);
    names[i] = name_of(dpor_process(o), own);
    others += o->kind == OPERATION_READ ? hash_u64(7, source) : 0;
    sum += hash_u64(hash_u64(hash_u64(3, names[i]), others), 13);
  }
  return sum;
}

static struct set states, traces, found, found_traces;

static void search_all(const struct program *p, struct machine m, struct operation *trace,
                       size_t length) {
  struct operation options[2 * THREADS];
  run_unseen(p, &m);
  uint32_t n = list_options(p, &m, options);
  if (n == 0) {
    add(&states, state_of(p, &m));
    add(&traces, trace_of(trace, length));
    return;
  }
  for (uint32_t i = 0; i < n; i++) {
    struct machine next = m;
    trace[length] = options[i];
    carry_out(p, &next, &options[i]);
    search_all(p, next, trace, length + 1);
  }
}

/* Who is preferred is free, as long as it is always the same at the same place. */
static void shuffle(const struct program *p, size_t length, struct operation *options, uint32_t n) {
  for (uint32_t i = n; p->order && i-- > 1;) {
    uint32_t other = (uint32_t)(hash_u64(p->order, length * 16 + i) % (i + 1));
    struct operation o = options[i];
    options[i] = options[other];
    options[other] = o;
  }
}

static void run_once(const struct program *p, struct dpor *d) {
  struct machine m = {0};
  struct operation options[2 * THREADS], trace[EVENTS];
  uint32_t issued[THREADS][STEPS] = {0}, woken[THREADS] = {0};
  size_t length = 0;
  bool missing, same;
  dpor_begin(d);
  for (;;) {
    int before[THREADS];
    memcpy(before, m.last, sizeof before);
    run_unseen(p, &m);
    for (int t = 0; t < p->threads; t++)
      for (int i = before[t]; i < m.last[t]; i++)
        issued[t][i] = woken[t] ? woken[t] : dpor_newest(d, 2 * (uint32_t)t);
    uint32_t n = list_options(p, &m, options);
    if (n == 0)
      break;
    shuffle(p, length, options, n);
    uint32_t i = dpor_pick(d, options, n, &missing);
    assert_false(missing);
    if (i == DPOR_NOBODY) {
      dpor_end(d, false);
      return;
    }
    struct operation o = options[i];
    trace[length++] = o;
    uint32_t after = o.drain ? issued[o.thread][m.first[o.thread]] : woken[o.thread];
    struct machine now = m;
    carry_out(p, &m, &o);
    uint32_t position = dpor_note(d, &o, after, &same);
    woken[o.thread] = o.drain ? woken[o.thread] : 0;
    for (int t = 0; t < p->threads; t++)
      woken[t] = now.waits[t] && !m.waits[t] ? position + 1 : woken[t];
    assert_true(same);
  }
  add(&found, state_of(p, &m));
  add(&found_traces, trace_of(trace, length));
  dpor_end(d, true);
}

static void print_program(const struct program *p) {
  static const char *const names[] = {"load", "store", "add",   "lock", "unlock", "fence",
                                      "swap", "cas",   "count", "flip", "meet"};
  print_message("%d meet%s\n", p->meet, p->serial ? " and look" : "");
  for (int t = 0; t < p->threads; t++) {
    for (int i = 0; i < p->length[t]; i++)
      print_message("%s %d,%d,%d; ", names[p->steps[t][i].kind], p->steps[t][i].variable,
                    p->steps[t][i].expected, p->steps[t][i].value);
    print_message("\n");
  }
}

/* ---- in units ---- */

#define NODES_MAX 4096
#define UNITS_MAX 4096

struct node {
  char *step, *right; /* as a part of prefixes; what is to be tried instead of it */
  bool divided;       /* that is somebody's */
};

struct unit {
  char *rest;
  struct node *prefix[EVENTS];
  uint32_t shared;
};

static struct node nodes[NODES_MAX];
static struct unit units[UNITS_MAX];
static size_t node_count, unit_count;

static void add_unit(const struct unit *from, uint32_t shared, const char *rest) {
  assert_true(unit_count < UNITS_MAX);
  struct unit *u = &units[unit_count++];
  *u = *from;
  u->shared = shared;
  u->rest = mem_strdup(rest);
}

static void take_wanted(const struct dpor *d, const struct unit *u) {
  for (uint32_t i = 0; i < u->shared; i++) {
    if (!d->wanted.data[i] || u->prefix[i]->divided)
      continue;
    u->prefix[i]->divided = true;
    add_unit(u, i, u->prefix[i]->right);
  }
}

static void take_lines(struct unit *u, char *lines) {
  char *save = NULL;
  for (char *line = strtok_r(lines, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
    char *right = strchr(line, ' ');
    assert_true(node_count < NODES_MAX);
    *right++ = 0;
    struct node *n = &nodes[node_count++];
    *n = (struct node){mem_strdup(line), mem_strdup(right), false};
    u->prefix[u->shared++] = n;
  }
  struct node *last = u->prefix[u->shared - 1];
  last->divided = true;
  add_unit(u, u->shared - 1, last->right);
}

/* Until it is done, or for so many runs if the rest can be divided. */
static void explore_unit(const struct program *p, struct unit u, int runs, uint64_t *blocked,
                         uint64_t *explored) {
  struct dpor d = {0};
  struct str text = {0}, lines = {0};
  str_format(&text, "%x", u.shared);
  for (uint32_t i = 0; i < u.shared; i++)
    str_format(&text, ";%s", u.prefix[i]->step);
  str_format(&text, ";%s", u.rest);
  assert_true(dpor_load(&d, str_text(&text)));
  bool more;
  do {
    run_once(p, &d);
    more = dpor_next(&d);
  } while (more && (--runs > 0 || !dpor_divide(&d, &lines)));
  take_wanted(&d, &u);
  if (more) {
    take_lines(&u, lines.data);
    str_clear(&text);
    dpor_tell_rest(&d, &text);
    add_unit(&u, u.shared, str_text(&text));
  }
  *blocked += d.blocked;
  *explored += d.explored;
  str_free(&text);
  str_free(&lines);
  dpor_free(&d);
}

static uint64_t explore_in_units(const struct program *p, int runs, uint64_t *blocked) {
  uint64_t explored = 0;
  struct unit all = {0};
  node_count = unit_count = 0;
  *blocked = 0;
  found.count = found_traces.count = 0;
  add_unit(&all, 0, "0.0.0.0.0.0.0");
  for (size_t i = 0; i < unit_count; i++)
    explore_unit(p, units[i], runs, blocked, &explored);
  make_set(&found);
  make_set(&found_traces);
  return explored;
}

static uint64_t blocked_in_units, units_in_all;

static void compare_units(uint64_t seed, const struct program *p, int runs) {
  uint64_t blocked, explored = explore_in_units(p, runs, &blocked);
  blocked_in_units += blocked;
  units_in_all += unit_count;
  if (found_traces.count != traces.count || explored != traces.count) {
    print_program(p);
    print_message("seed %lu, %d runs: traces %zu of %zu, explored %lu, blocked %lu\n", seed, runs,
                  found_traces.count, traces.count, explored, blocked);
  }
  assert_int_equal(found_traces.count, traces.count);
  assert_int_equal(found.count, states.count);
  assert_int_equal(explored, traces.count);
}

static void compare_searches(uint64_t seed, bool buffers, enum mode mode) {
  struct rng r = {.state = seed};
  struct program p;
  struct operation trace[EVENTS];
  make_program(&r, &p, buffers, mode);
  states.count = traces.count = found.count = found_traces.count = 0;
  search_all(&p, (struct machine){0}, trace, 0);
  make_set(&states);
  make_set(&traces);
  struct dpor d = {0};
  do
    run_once(&p, &d);
  while (dpor_next(&d));
  uint64_t explored = d.explored, blocked = d.blocked;
  dpor_free(&d);
  make_set(&found);
  make_set(&found_traces);
  if (found.count != states.count || found_traces.count != traces.count ||
      explored != traces.count || blocked != 0) {
    print_program(&p);
    print_message("seed %lu: states %zu of %zu, traces %zu of %zu, explored %lu, blocked %lu\n",
                  seed, found.count, states.count, found_traces.count, traces.count, explored,
                  blocked);
  }
  assert_int_equal(found.count, states.count);
  assert_memory_equal(found.items, states.items, states.count * sizeof *states.items);
  assert_int_equal(found_traces.count, traces.count);
  assert_int_equal(explored, traces.count);
  assert_int_equal(blocked, 0);
  compare_units(seed, &p, 1);
  compare_units(seed, &p, 3);
  compare_units(seed, &p, 10);
}

static void without_buffers(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 2000; seed++)
    compare_searches(seed, false, USUAL);
}

static void with_buffers(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 2000; seed++)
    compare_searches(seed, true, USUAL);
  print_message("%lu units, %lu blocked\n", units_in_all, blocked_in_units);
}

/* As long as an execution with a million steps: no recursion goes along it. */
static void long_sequences(void **state) {
  (void)state;
  struct dpor d = {0};
  struct dpor_branch *chain = NULL;
  for (int i = 0; i < 1000000; i++) {
    chain = dpor_new_branch(&d, (struct dpor_branch){.process = 2, .children = chain});
    if (i % 1000 == 0)
      chain->next = dpor_new_branch(&d, (struct dpor_branch){.process = 4});
  }
  d.plan = chain;
  struct dpor_mark m = dpor_here(&d);
  size_t length = 0, others = 0;
  for (const struct dpor_branch *b = m.plan; b; b = b->children) {
    others += b->next != NULL;
    length++;
  }
  assert_int_equal(length, 1000000);
  assert_int_equal(others, 1000);
  dpor_forget(&d, &m);
  dpor_free(&d);
}

/* Whether a locked instruction stores depends on what it finds. */
static void with_locked(void **state) {
  (void)state;
  const char *count = getenv("DPOR_LOCKED");
  uint64_t last = count ? strtoull(count, NULL, 10) : 1500;
  for (uint64_t seed = 1; seed <= last; seed++) {
    compare_searches(seed, false, LOCKED);
    compare_searches(seed, true, LOCKED);
  }
}

/* Updates that nobody looks at, and arrivals at a barrier: also of more threads than make a round, and of those that look
 * at who was the last. */
static void with_meetings(void **state) {
  (void)state;
  const char *count = getenv("DPOR_MEETINGS");
  uint64_t last = count ? strtoull(count, NULL, 10) : 1500;
  for (uint64_t seed = 1; seed <= last; seed++) {
    compare_searches(seed, false, MEETING);
    compare_searches(seed, true, MEETING);
  }
}

/* A unit is written as it was read, with all that is known of an operation that is planned. */
static void written_as_read(void **state) {
  (void)state;
  static const char rest[] = "0.0.0.0.1.0.1.3.5.9.ff.0.2.f.1.4.7.9.40.3.8.1000.2000.3000.0";
  struct dpor d = {.pm = true};
  struct str unit = {0}, text = {0};
  str_format(&unit, "0;%s", rest);
  assert_true(dpor_load(&d, str_text(&unit)));
  dpor_tell_rest(&d, &text);
  assert_string_equal(str_text(&text), rest);
  str_free(&unit);
  str_free(&text);
  dpor_free(&d);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(written_as_read), cmocka_unit_test(long_sequences),
      cmocka_unit_test(without_buffers), cmocka_unit_test(with_buffers),
      cmocka_unit_test(with_locked),     cmocka_unit_test(with_meetings),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
