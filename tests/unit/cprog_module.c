/* The reader of what tidemark-lift writes: texts that it never writes are rejected, with their line and
 * column, before or while they are executed. */
#include "cprog/c_program.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
/* after the standard headers it needs */
#include <cmocka.h>

#define HEAD "tidemark-cir 1\nfile 0 t.c\nlayout 0 4 0:4\nobject 0 0 - 0 1 x\n"
#define THREAD HEAD "function 0 0 d thread0\n"

static void rejects(const char *text, int line, int column, const char *message) {
  struct arena a = {0};
  struct diag d = {0};
  assert_null(c_module_read(text, strlen(text), &a, &d));
  if (!strstr(d.message, message) || d.place.line != line || d.place.column != column)
    fail_msg("got %d:%d: %s", d.place.line, d.place.column, d.message);
  arena_release(&a);
}

static void does_not_run(const char *text, int line, int column, const char *message) {
  struct arena a = {0};
  struct diag d = {0};
  struct c_module *m = c_module_read(text, strlen(text), &a, &d);
  assert_non_null(m);
  struct c_options o = {.unroll = 1, .target = c_target_find("sc", &(struct model){0})};
  assert_null(c_program_build(m, &o, &a, &d));
  if (!strstr(d.message, message) || d.place.line != line || d.place.column != column)
    fail_msg("got %d:%d: %s", d.place.line, d.place.column, d.message);
  arena_release(&a);
}

static void shape(void **state) {
  (void)state;
  rejects("", 0, 1, "the output of tidemark-lift");
  rejects("tidemark-cir 99\n", 1, 16, "this version's");
  rejects("tidemark-cir 1\nlayout 0 4 2:4\n", 2, 15, "a scalar inside of its type");
  rejects(THREAD "end\n", 6, 4, "a block");
  rejects(THREAD "block 0\nend\n", 7, 4, "a jump at the end");
  rejects(THREAD "block 0\nfence 0 1 1 acquire\nend\n", 8, 4, "a jump at the end");
  rejects(THREAD "block 0\nret 0 1 1\nret 0 1 1\nend\n", 9, 4, "behind a jump");
  rejects(THREAD "block 0\nbr 0 1 1 7\nend\n", 8, 4, "a block of this function");
  rejects(THREAD "block 0\nload 0 1 1 %- 4 na - @0+0\nret 0 1 1\nend\n", 7, 14, "a number");
  rejects(THREAD "block 0\nload 0 1 1 %0 0 na - @0+0\nret 0 1 1\nend\n", 7, 16, "a size");
  rejects(THREAD "block 0\nload 0 1 1 %0 4 na - @9+0\nret 0 1 1\nend\n", 7, 26, "an operand");
}

static void values(void **state) {
  (void)state;
  does_not_run(THREAD "block 0\nstore 0 3 5 4 na - @0+0 %1\nload 0 4 6 %1 4 na - @0+0\n"
                      "ret 0 5 1\nend\n",
               3, 5, "used before it is there");
  does_not_run(THREAD "block 0\nbr 0 1 1 1\nblock 1\nphi 0 2 3 %1 32 1:#4\nret 0 5 1\nend\n", 2, 3,
               "missing for one of the ways");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(shape), cmocka_unit_test(values)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
