/* Lines of a domain whose end is open, against their definition: every cut of a small execution, with
 * every position at which each line may have been written back for the last time.
 *
 * Steps are stores and write-backs of a few processes, ordered by their process, by the line they are
 * about, and by chance.  Loads after the failure narrow cut and lines; each is compared completely, and
 * undone again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/rng.h"
#include "memory/line.h"
#include <string.h>

#define STEPS 9
#define PROCESSES 3
#define LINES 2
#define WORDS 2
#define STATES_MAX ((1 << STEPS) * (STEPS + 1) * (STEPS + 1))
#define DEPTH 4

struct step {
  int process, line, word;
  bool write_back;
  uint32_t position; /* of the line; write-back: the newest that it covers */
  uint32_t before;   /* a bit for each step that happens before, itself included */
};

struct state {
  uint32_t cut;
  uint8_t written_back[LINES];
};

static struct {
  struct rng rng;
  struct step steps[STEPS];
  struct moments moments;
  struct memory memory;
  struct line lines[LINES];
  struct state states[DEPTH + 1][STATES_MAX]; /* what is possible after so many loads */
  size_t count[DEPTH + 1];
} t;

static uint32_t draw(uint32_t n) {
  return (uint32_t)rng_below(&t.rng, n);
}

/* ---- executions ---- */

static void order_step(int n, uint32_t stores[LINES]) {
  struct step *s = &t.steps[n];
  s->before = 1u << n;
  s->position = s->write_back ? draw(stores[s->line] + 1) : ++stores[s->line];
  for (int i = 0; i < n; i++) {
    const struct step *x = &t.steps[i];
    bool same_line = !x->write_back && x->line == s->line && x->position <= s->position;
    if (x->process == s->process || same_line || draw(8) == 0)
      s->before |= x->before;
  }
}

static void generate(void) {
  uint32_t stores[LINES] = {0};
  for (int n = 0; n < STEPS; n++) {
    struct step *s = &t.steps[n];
    *s = (struct step){.process = (int)draw(PROCESSES),
                       .line = (int)draw(LINES),
                       .word = (int)draw(WORDS),
                       .write_back = draw(3) == 0};
    order_step(n, stores);
  }
}

static uint32_t own_steps(uint32_t set, int process) {
  uint32_t count = 0;
  for (int i = 0; i < STEPS; i++)
    count += set >> i & 1 && t.steps[i].process == process;
  return count;
}

static void tell_memory(void) {
  t.moments.width = PROCESSES;
  t.moments.all.length = t.moments.pool.length = 0;
  for (int i = 0; i < LINES; i++) {
    vec_free(&t.lines[i].stores);
    vec_free(&t.lines[i].write_backs);
    line_init(&t.lines[i], (uintptr_t)(i + 1) * LINE_BYTES);
  }
  for (uint32_t n = 0; n < STEPS; n++) {
    const struct step *s = &t.steps[n];
    struct line *l = &t.lines[s->line];
    struct moment m = {.process = (uint32_t)s->process,
                       .tick = own_steps(s->before, s->process),
                       .times = (uint32_t)t.moments.pool.length};
    for (int p = 0; p < PROCESSES; p++)
      vec_push(&t.moments.pool, own_steps(s->before, p));
    vec_push(&t.moments.all, m);
    if (s->write_back)
      memory_write_back(&t.memory, l, 0, s->position, n);
    else
      memory_append(
          &t.memory, l,
          &(struct store){
              .value = n + 1, .event = n, .moment = n, .offset = (uint8_t)(8 * s->word), .size = 8},
          false);
  }
  t.memory.failed = t.memory.open = 1;
  t.memory.moments[0] = &t.moments;
}

/* ---- what is possible ---- */

static bool is_cut(uint32_t set) {
  for (int i = 0; i < STEPS; i++)
    if (set >> i & 1 && t.steps[i].before & ~set)
      return false;
  return true;
}

static void bounds_of(uint32_t cut, int line, uint32_t *low, uint32_t *high) {
  *low = *high = 0;
  for (int i = 0; i < STEPS; i++) {
    const struct step *s = &t.steps[i];
    uint32_t *bound = s->write_back ? low : high;
    if (cut >> i & 1 && s->line == line && s->position > *bound)
      *bound = s->position;
  }
}

static void list_states(void) {
  t.count[0] = 0;
  for (uint32_t cut = 0; cut < 1u << STEPS; cut++) {
    uint32_t low[LINES], high[LINES];
    if (!is_cut(cut))
      continue;
    for (int i = 0; i < LINES; i++)
      bounds_of(cut, i, &low[i], &high[i]);
    for (uint32_t a = low[0]; a <= high[0]; a++)
      for (uint32_t b = low[1]; b <= high[1]; b++)
        t.states[0][t.count[0]++] = (struct state){cut, {(uint8_t)a, (uint8_t)b}};
  }
}

/* 1 + the step whose store a load of the word reads, or 0. */
static uint32_t source(const struct state *s, int line, int word) {
  for (uint32_t n = STEPS; n-- > 0;) {
    const struct step *x = &t.steps[n];
    if (!x->write_back && x->line == line && x->word == word &&
        x->position <= s->written_back[line])
      return n + 1;
  }
  return 0;
}

/* ---- loads ---- */

static uint32_t answers_by_definition(int depth, int line, int word) {
  uint32_t answers = 0;
  for (size_t i = 0; i < t.count[depth]; i++)
    answers |= 1u << source(&t.states[depth][i], line, word);
  return answers;
}

static void narrow(int depth, int line, int word, uint32_t answer) {
  t.count[depth + 1] = 0;
  for (size_t i = 0; i < t.count[depth]; i++)
    if (source(&t.states[depth][i], line, word) == answer)
      t.states[depth + 1][t.count[depth + 1]++] = t.states[depth][i];
}

static void load(int depth) {
  int line = (int)draw(LINES), word = (int)draw(WORDS);
  struct line *l = &t.lines[line];
  size_t mark = memory_mark(&t.memory);
  candidate_list list = {0};
  uint64_t value;
  uint32_t answers = 0;
  memory_settle(&t.memory, l);
  memory_candidates(&t.memory, l, 8 * word, 8, &list);
  for (size_t i = 0; i < list.length; i++)
    answers |= 1u << list.data[i].value;
  assert_int_equal(answers, answers_by_definition(depth, line, word));
  assert_int_equal(memory_certain(&t.memory, l, 8 * word, 8, &value), list.length == 1);
  for (size_t i = 0; depth + 1 < DEPTH && i < list.length; i++) {
    size_t before = memory_mark(&t.memory);
    memory_choose(&t.memory, l, &list.data[i]);
    narrow(depth, line, word, (uint32_t)list.data[i].value);
    load(depth + 1);
    memory_undo(&t.memory, before);
  }
  vec_free(&list);
  memory_undo(&t.memory, mark);
}

static void loads_are_those_of_all_cuts(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 3000; seed++) {
    t.rng = (struct rng){.state = seed};
    generate();
    tell_memory();
    list_states();
    load(0);
    memory_undo(&t.memory, 0);
    t.memory.failed = t.memory.open = 0;
    assert_int_equal(t.memory.cuts.trail.length, 0);
    assert_int_equal(t.lines[0].stores.length + t.lines[0].write_backs.length, 0);
  }
}

/* What is required beforehand holds in all that follows. */
static void required_steps_have_happened(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 1000; seed++) {
    t.rng = (struct rng){.state = seed};
    generate();
    tell_memory();
    list_states();
    uint32_t required = draw(STEPS);
    const struct moment *m = &t.moments.all.data[required];
    assert_true(memory_require(&t.memory, 0,
                               &(struct cut_step){.thread = m->process,
                                                  .tick = m->tick,
                                                  .times = &t.moments.pool.data[m->times],
                                                  .threads = PROCESSES,
                                                  .step = required}));
    size_t kept = 0;
    for (size_t i = 0; i < t.count[0]; i++)
      if (t.states[0][i].cut >> required & 1)
        t.states[0][kept++] = t.states[0][i];
    t.count[0] = kept;
    load(0);
    t.memory.failed = t.memory.open = 0;
    memory_undo(&t.memory, 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(loads_are_those_of_all_cuts),
      cmocka_unit_test(required_steps_have_happened),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
