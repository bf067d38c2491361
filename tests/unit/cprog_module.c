/* The reader of tidemark-lift's text refuses what it does not know, whatever the text is. */
#include "cprog/c_check.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
/* after the standard headers it needs */
#include <cmocka.h>

static const char good[] = "tidemark-cir 1\n"
                           "file 0 p.c\n"
                           "layout 0 4 0:4\n"
                           "object 0 0 - 0 1 x\n"
                           "init 0 0 4 #7\n"
                           "function 0 0 d thread0\n"
                           "block 0\n"
                           "load 0 3 5 %0 4 na - @0+0\n"
                           "eq 0 3 7 %1 32 %0 #7\n"
                           "cbr 0 3 7 %1 1 2\n"
                           "block 1\n"
                           "ret 0 4 1\n"
                           "block 2\n"
                           "call 0 3 9 %- 0 $1\n"
                           "unreachable 0 3 9\n"
                           "end\n"
                           "function 1 0 x reach_error\n";

static struct c_module *read_text(const char *text, size_t n, struct arena *a, struct diag *d) {
  *d = (struct diag){0};
  return c_module_read(text, n, a, d);
}

static void the_text_is_read(void **unused) {
  (void)unused;
  struct arena a = {0};
  struct diag d;
  struct c_module *m = read_text(good, strlen(good), &a, &d);
  assert_non_null(m);
  assert_int_equal(m->functions.length, 2);
  assert_int_equal(m->functions.data[0].blocks.length, 3);
  assert_int_equal(m->functions.data[0].values, 2);
  assert_int_equal(m->globals.data[0].initial.data[0].value.number, 7);
  assert_int_equal(c_module_find(m, "thread0"), 0);
  assert_int_equal(c_module_find(m, "reach_error"), -1);
  arena_release(&a);
}

static void other_versions_are_refused(void **unused) {
  (void)unused;
  struct arena a = {0};
  struct diag d;
  static const char old[] = "tidemark-cir 0\n";
  assert_null(read_text(old, strlen(old), &a, &d));
  assert_non_null(strstr(d.message, "version"));
  assert_null(read_text("", 0, &a, &d));
  arena_release(&a);
}

/* Every byte changed in turn, every prefix: refused or read, never worse. */
static void damaged_text_is_harmless(void **unused) {
  (void)unused;
  char text[sizeof good];
  struct diag d;
  int refused = 0;
  for (size_t i = 0; i < sizeof good - 1; i++)
    for (int k = 0; k < 6; k++) {
      struct arena a = {0};
      memcpy(text, good, sizeof good);
      text[i] = " 9%@#\n"[k];
      refused += !read_text(text, sizeof good - 1, &a, &d);
      refused += !read_text(good, i, &a, &d);
      arena_release(&a);
    }
  assert_true(refused > 100);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_text_is_read),
                                     cmocka_unit_test(other_versions_are_refused),
                                     cmocka_unit_test(damaged_text_is_harmless)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
