/* What came of a node is taken over exactly where the lines it depends on are as they were. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "search/recall.h"

#define LINES 3

struct fixture {
  struct memory memory;
  struct line lines[LINES];
  struct memo_node nodes[LINES]; /* each a load of its line */
  struct recall recall;
};

/* Before the failure. */
static void append(struct fixture *f, int line, uint64_t value) {
  f->memory.failed = 0;
  memory_append(&f->memory, &f->lines[line], &(struct store){.value = value, .size = 8}, false);
  f->memory.failed = 1;
}

/* Each line has one store of an execution that has failed, perhaps lost. */
static void begin(struct fixture *f) {
  for (int i = 0; i < LINES; i++) {
    line_init(&f->lines[i], (uintptr_t)i * LINE_BYTES);
    f->lines[i].number = (uint32_t)i;
    f->nodes[i] = (struct memo_node){.kind = MEMO_LOAD, .load = {.line = &f->lines[i], .size = 8}};
    append(f, i, 1);
  }
  recall_begin(&f->recall, &f->memory, true);
}

static void arrive(struct fixture *f, int node) {
  recall_consult(&f->recall, &f->memory, &f->lines[node]);
  recall_open(&f->recall, &f->memory);
}

static void leave(struct fixture *f, int node) {
  recall_close(&f->recall, &f->memory, &f->nodes[node], RECALL_ALL);
}

/* Walk to the node and to an end right behind it. */
static void visit(struct fixture *f, int node) {
  arrive(f, node);
  recall_ended(&f->recall, &f->memory, 7, 1, true);
  leave(f, node);
}

static bool known(struct fixture *f, int node) {
  return recall_find(&f->recall, &f->memory, &f->nodes[node]) != NULL;
}

/* Is it with that line written back? */
static bool known_with(struct fixture *f, int node, int line) {
  size_t mark = memory_mark(&f->memory);
  memory_raise(&f->memory, &f->lines[line], 0, 1);
  bool result = known(f, node);
  recall_undo(&f->recall, &f->memory, mark);
  return result;
}

static void depends_on_its_own_line(void **state) {
  (void)state;
  static struct fixture f;
  begin(&f);
  assert_false(known(&f, 0));
  visit(&f, 0);
  assert_true(known(&f, 0));
  assert_true(known_with(&f, 0, 1));
  assert_false(known_with(&f, 0, 0));
  assert_true(known(&f, 0));
}

static void depends_on_lines_read_below(void **state) {
  (void)state;
  static struct fixture f;
  begin(&f);
  arrive(&f, 0);
  visit(&f, 1);
  leave(&f, 0);
  assert_false(known_with(&f, 0, 1));
  assert_true(known_with(&f, 1, 0));
  assert_true(known_with(&f, 0, 2));
  arrive(&f, 2);
  recall_consult(&f.recall, &f.memory, &f.lines[1]); /* a load with one answer */
  leave(&f, 2);
  assert_false(known_with(&f, 2, 1));
}

static void depends_on_what_was_taken_over(void **state) {
  (void)state;
  static struct fixture f;
  begin(&f);
  visit(&f, 1);
  arrive(&f, 0);
  const struct recall_entry *e = recall_find(&f.recall, &f.memory, &f.nodes[1]);
  assert_non_null(e);
  assert_false(recall_take(&f.recall, &f.memory, e, 0));
  leave(&f, 0);
  assert_true(known_with(&f, 0, 2));
  assert_false(known_with(&f, 0, 1));
}

static void notices_that_others_went_back(void **state) {
  (void)state;
  static struct fixture f;
  begin(&f);
  size_t mark = memory_mark(&f.memory);
  append(&f, 0, 5);
  visit(&f, 0);
  memory_undo(&f.memory, mark);
  append(&f, 0, 6);
  assert_false(known(&f, 0));
  memory_undo(&f.memory, mark);
  append(&f, 0, 5);
  assert_true(known(&f, 0));
}

static void forgets_lines_with_everything_else(void **state) {
  (void)state;
  static struct fixture f;
  begin(&f);
  visit(&f, 0);
  recall_end(&f.recall);
  recall_forget(&f.recall, f.nodes[0].recalled);
  f.nodes[0].recalled = NULL;
  recall_clear(&f.recall);
  recall_begin(&f.recall, &f.memory, true);
  recall_undo(&f.recall, &f.memory, 1); /* only line 0 has a store */
  append(&f, 1, 5);
  visit(&f, 0);
  assert_true(known(&f, 0));
  assert_true(known_with(&f, 0, 1));
  assert_false(known_with(&f, 0, 0));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(depends_on_its_own_line),
      cmocka_unit_test(depends_on_lines_read_below),
      cmocka_unit_test(depends_on_what_was_taken_over),
      cmocka_unit_test(notices_that_others_went_back),
      cmocka_unit_test(forgets_lines_with_everything_else),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
