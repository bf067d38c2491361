/* px86.cat against an operational machine: seeded random programs with flushes and fences; both must
 * allow exactly the same contents of persistent memory after a crash at any point.
 *
 * The machine: a store buffer per thread that also holds flushes and sfence, from which entries may
 * leave out of order where the architecture allows it; per cache line a log of writes, of which a
 * prefix is persistent.  clflush makes the whole log of its line persistent, clflushopt what was
 * there when it left the buffer, but only at the thread's next fence.
 *
 *   axiom_persist SEED COUNT runs more than `make check` does. */
#include "axiom/check.h"
#include "axiom/litmus.h"
#include "base/hash.h"
#include "base/rng.h"
#include "base/str.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* after the standard headers it needs */
#include <cmocka.h>

enum { THREADS = 2, CODE_MAX = 5, LOCATIONS = 3, LINES = 2, LOG_MAX = 12, SEEN_MAX = 1 << 16 };

enum op { OP_WRITE, OP_FLUSH, OP_FLUSHOPT, OP_SFENCE, OP_MFENCE, OP_XCHG, OP_KINDS };

struct instruction {
  signed char op, location, value;
};

struct program_text {
  struct instruction code[THREADS][CODE_MAX];
  int count[THREADS];
};

struct machine {
  signed char pc[THREADS];
  signed char buffer[THREADS][CODE_MAX], buffered[THREADS]; /* instruction numbers, oldest first */
  signed char pending[THREADS][LINES];                      /* what the next fence persists */
  signed char log[LINES][LOG_MAX][2], logged[LINES];        /* location, value */
  signed char durable[LINES];                               /* at least this prefix is persistent */
};

struct exploration {
  const struct program_text *t;
  uint64_t *seen;
  unsigned char reached[5][5][5]; /* values of the three locations */
  long states;
};

static const char *const names[LOCATIONS] = {"x[0]", "x[1]", "y"};

static int line_of(int location) {
  return location == 2;
}

/* Must entry a leave the buffer before the later entry b? */
static bool ordered(const struct instruction *a, const struct instruction *b) {
  bool same = line_of(a->location) == line_of(b->location);
  if (a->op == OP_SFENCE || b->op == OP_SFENCE)
    return true;
  if (a->op == OP_FLUSHOPT)
    return b->op == OP_FLUSH && same;
  return b->op != OP_FLUSHOPT || same;
}

static void fence(struct machine *m, int t) {
  for (int l = 0; l < LINES; l++) {
    if (m->pending[t][l] > m->durable[l])
      m->durable[l] = m->pending[t][l];
    m->pending[t][l] = 0;
  }
}

static void append(struct machine *m, const struct instruction *i) {
  int l = line_of(i->location);
  m->log[l][m->logged[l]][0] = i->location;
  m->log[l][m->logged[l]++][1] = i->value;
}

static void leave(struct machine *m, int t, const struct instruction *i) {
  int l = line_of(i->location);
  if (i->op == OP_WRITE)
    append(m, i);
  else if (i->op == OP_FLUSH)
    m->durable[l] = m->logged[l];
  else if (i->op == OP_FLUSHOPT)
    m->pending[t][l] = m->logged[l];
  else
    fence(m, t);
}

static void crash_here(struct exploration *e, const struct machine *m) {
  for (int p = m->durable[0]; p <= m->logged[0]; p++)
    for (int q = m->durable[1]; q <= m->logged[1]; q++) {
      int value[LOCATIONS] = {0, 0, 0};
      for (int i = 0; i < p; i++)
        value[(int)m->log[0][i][0]] = m->log[0][i][1];
      for (int i = 0; i < q; i++)
        value[(int)m->log[1][i][0]] = m->log[1][i][1];
      e->reached[value[0]][value[1]][value[2]] = 1;
    }
}

static bool seen_before(struct exploration *e, const struct machine *m) {
  uint64_t h = hash_bytes(1, m, sizeof *m) | 1;
  for (uint64_t i = h % SEEN_MAX;; i = (i + 1) % SEEN_MAX) {
    if (e->seen[i] == h)
      return true;
    if (!e->seen[i]) {
      e->seen[i] = h;
      assert_true(++e->states < SEEN_MAX / 2);
      return false;
    }
  }
}

static void explore(struct exploration *e, const struct machine *m);

static void step(struct exploration *e, const struct machine *m, int t) {
  const struct instruction *i = &e->t->code[t][m->pc[t]];
  struct machine next = *m;
  next.pc[t]++;
  if (i->op == OP_MFENCE || i->op == OP_XCHG) {
    if (m->buffered[t])
      return;
    fence(&next, t);
    if (i->op == OP_XCHG)
      append(&next, i);
  } else {
    next.buffer[t][next.buffered[t]++] = m->pc[t];
  }
  explore(e, &next);
}

static void drain(struct exploration *e, const struct machine *m, int t, int j) {
  const struct instruction *code = e->t->code[t];
  for (int i = 0; i < j; i++)
    if (ordered(&code[m->buffer[t][i]], &code[m->buffer[t][j]]))
      return;
  struct machine next = *m;
  leave(&next, t, &code[m->buffer[t][j]]);
  memmove(&next.buffer[t][j], &next.buffer[t][j + 1], (size_t)(next.buffered[t] - j - 1));
  next.buffer[t][--next.buffered[t]] = 0;
  explore(e, &next);
}

static void explore(struct exploration *e, const struct machine *m) {
  if (seen_before(e, m))
    return;
  crash_here(e, m);
  for (int t = 0; t < THREADS; t++) {
    if (m->pc[t] < e->t->count[t])
      step(e, m, t);
    for (int j = 0; j < m->buffered[t]; j++)
      drain(e, m, t, j);
  }
}

/* ---- the same program as a test ------------------------------------------------------------ */

static void random_program(struct rng *r, struct program_text *t) {
  memset(t, 0, sizeof *t);
  int value[LOCATIONS] = {0, 0, 0};
  for (int i = 0; i < THREADS; i++) {
    t->count[i] = (int)rng_below(r, i ? 4 : CODE_MAX) + 1;
    for (int j = 0; j < t->count[i]; j++) {
      int op = (int)rng_below(r, OP_KINDS + 3);
      struct instruction *c = &t->code[i][j];
      c->op = (signed char)(op >= OP_KINDS ? op % 3 : op);
      c->location = (signed char)rng_below(r, LOCATIONS);
      bool writes = c->op == OP_WRITE || c->op == OP_XCHG;
      if (writes && value[c->location] == 4)
        c->op = OP_SFENCE;
      else if (writes)
        c->value = (signed char)++value[c->location];
    }
  }
}

static void print_instruction(const struct instruction *i, struct str *s) {
  static const char *const places[LOCATIONS] = {"(x)", "8(x)", "(y)"};
  const char *place = places[(int)i->location];
  switch (i->op) {
  case OP_WRITE:
    str_format(s, "movq $%d,%s", i->value, place);
    break;
  case OP_XCHG: /* a register of its own, see print_program */
    str_format(s, "xchgq %%r%d,%s", 8 + i->value + (i->location == 1 ? 4 : 0), place);
    break;
  case OP_FLUSH:
    str_format(s, "clflush %s", place);
    break;
  case OP_FLUSHOPT:
    str_format(s, "clflushopt %s", place);
    break;
  default:
    str_append(s, i->op == OP_SFENCE ? "sfence" : "mfence");
  }
}

/* Registers for xchg are set in the initial state: r(8+v) = v for x[0] and y, r(12+v) = v for x[1]. */
static void print_program(const struct program_text *t, struct str *s) {
  str_append(s, "X86_64 persist\n{ uint64_t x[2]; uint64_t y;\n");
  for (int i = 0; i < THREADS; i++)
    for (int v = 1; v <= 4; v++)
      str_format(s, "%d:r%d=%d; ", i, 8 + v, v);
  for (int i = 0; i < THREADS; i++)
    for (int v = 1; v <= 3; v++)
      str_format(s, "%d:r%d=%d; ", i, 12 + v, v);
  str_append(s, "}\n P0 | P1 ;\n");
  for (int j = 0; j < CODE_MAX; j++)
    for (int i = 0; i < THREADS; i++) {
      str_append(s, i ? " | " : " ");
      if (j < t->count[i])
        print_instruction(&t->code[i][j], s);
      if (i == THREADS - 1)
        str_append(s, " ;\n");
    }
  str_append(s, "locations [");
  for (int l = 0; l < LOCATIONS; l++)
    str_format(s, "nvm:%s; ", names[l]);
  str_append(s, "]\nexists (true)\n");
}

/* A register is used once per thread and location only if no two xchg share it. */
static bool registers_clash(const struct program_text *t) {
  for (int i = 0; i < THREADS; i++) {
    int used = 0;
    for (int j = 0; j < t->count[i]; j++) {
      const struct instruction *c = &t->code[i][j];
      int reg = 8 + c->value + (c->location == 1 ? 4 : 0);
      if (c->op == OP_XCHG && (reg > 15 || (used >> reg & 1)))
        return true;
      used |= c->op == OP_XCHG ? 1 << reg : 0;
    }
  }
  return false;
}

static void compare(const struct program_text *t, const struct model *model,
                    struct exploration *e) {
  struct arena a = {0};
  struct str text = {0};
  struct diag d = {0};
  struct check_result result;
  struct check_options options = {.core = CORE_NONE};
  print_program(t, &text);
  memset(e->seen, 0, SEEN_MAX * sizeof *e->seen);
  memset(e->reached, 0, sizeof e->reached);
  e->states = 0;
  e->t = t;
  explore(e, &(struct machine){0});
  struct program *p = test_parse("persist", str_text(&text), text.length, &a, 1, &d);
  if (!p || !check_run(p, model, &options, &a, &result, &d))
    fail_msg("%d:%d: %s in\n%s", d.place.line, d.place.column, d.message, str_text(&text));
  int reached = 0;
  for (int i = 0; i < 125; i++)
    reached += e->reached[i / 25][i / 5 % 5][i % 5];
  for (int i = 0; i < result.states.length; i++) {
    const int64_t *v = result.states.data[i].values;
    if (!e->reached[v[0]][v[1]][v[2]])
      fail_msg("the machine never has %d %d %d in\n%s", (int)v[0], (int)v[1], (int)v[2],
               str_text(&text));
  }
  if (reached != result.states.length)
    fail_msg("the machine has %d states, the model %d, in\n%s", reached, result.states.length,
             str_text(&text));
  str_free(&text);
  arena_release(&a);
}

static uint64_t first_seed = 1;
static int test_count = 5000;

static void random_programs(void **state) {
  (void)state;
  struct diag d = {0};
  struct model *model = model_load("models/px86.cat", "models", &d);
  assert_non_null(model);
  struct exploration e = {.seen = calloc(SEEN_MAX, sizeof *e.seen)};
  int compared = 0;
  for (int i = 0; i < test_count; i++) {
    struct rng r = {first_seed * 1000003u + (uint64_t)i};
    struct program_text t;
    random_program(&r, &t);
    if (registers_clash(&t))
      continue;
    compare(&t, model, &e);
    compared++;
  }
  printf("%d random programs: the same persistent memory\n", compared);
  assert_true(compared > test_count / 2);
  free(e.seen);
  model_destroy(model);
}

int main(int argc, char **argv) {
  if (argc > 2) {
    first_seed = strtoull(argv[1], NULL, 10);
    test_count = atoi(argv[2]);
  }
  const struct CMUnitTest tests[] = {cmocka_unit_test(random_programs)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
