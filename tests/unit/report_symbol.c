/* Source positions of this program's own code. */
#include "report/locate.h"
#include "report/symbol.h"
#include "report_fixture.h"
#include <link.h>
#include <unistd.h>

static volatile int sink;

__attribute__((noinline)) static uintptr_t here(void) {
  return (uintptr_t)__builtin_return_address(0);
}

enum { INLINED_LINE = __LINE__ + 2, OUTER_LINE = INLINED_LINE + 6 };
static inline __attribute__((always_inline)) uintptr_t inlined(void) {
  uintptr_t at = here();
  sink++;
  return at;
}

__attribute__((noinline)) static uintptr_t outer(void) {
  uintptr_t at = inlined();
  sink++;
  return at;
}

/* The program is the first object; its addresses are relative to this. */
static int first_object(struct dl_phdr_info *info, size_t size, void *base) {
  (void)size;
  *(uintptr_t *)base = info->dlpi_addr;
  return 1;
}

static uint64_t offset_of(uintptr_t address) {
  uintptr_t base;
  dl_iterate_phdr(first_object, &base);
  return address - base;
}

static void inlined_frames(void **state) {
  (void)state;
  struct symbols *s = symbols_create();
  place_list frames = {0};
  symbols_frames(s, "/proc/self/exe", offset_of(outer()) - 1, &frames);
  assert_int_equal(frames.length, 2);
  assert_string_equal(frames.data[0].function, "inlined");
  assert_string_equal(path_basename(frames.data[0].file), "report_symbol.c");
  assert_int_equal(frames.data[0].line, INLINED_LINE);
  assert_string_equal(frames.data[1].function, "outer");
  assert_int_equal(frames.data[1].line, OUTER_LINE);
  symbols_free(s);
}

static void return_addresses(void **state) {
  (void)state;
  struct symbols *s = symbols_create();
  struct place p = {.object = mem_strdup("/proc/self/exe"), .offset = offset_of(outer()) - 1};
  symbols_resolve(s, &p);
  assert_string_equal(p.function, "inlined");
  assert_int_equal(p.line, INLINED_LINE);
  assert_true(p.column > 0);
  symbols_free(s);
}

static long b[4]; /* a demangler would say: bool */

static void check_variable(const void *address, const char *name) {
  struct symbols *s = symbols_create();
  char *found = symbols_variable(s, "/proc/self/exe", offset_of((uintptr_t)address));
  if (name)
    assert_string_equal(found, name);
  else
    assert_null(found);
  symbols_free(s);
}

static void variables(void **state) {
  (void)state;
  b[0] = sink;
  check_variable(&b[0], "b");
  check_variable((char *)&b[3] + 7, "b+31");
  check_variable((void *)(uintptr_t)outer, NULL); /* a function */
}

static void unknown_objects(void **state) {
  (void)state;
  struct symbols *s = symbols_create();
  static const char *const objects[] = {"/nonexistent/object", "/dev/null", "Makefile", "tests"};
  for (size_t i = 0; i < sizeof objects / sizeof *objects; i++) {
    struct place p = {.object = mem_strdup(objects[i]), .offset = 0x1234};
    struct str text = {0};
    symbols_resolve(s, &p);
    assert_null(p.file);
    place_text(&p, false, &text);
    assert_non_null(strstr(str_text(&text), "+0x1234"));
    str_free(&text);
  }
  place_list frames = {0};
  symbols_frames(s, "/proc/self/exe", UINT64_MAX - 1, &frames);
  assert_int_equal(frames.length, 1);
  assert_null(frames.data[0].file);
  symbols_free(s);
}

/* A name relative to where it was compiled, seen from elsewhere. */
static void sources_are_located(void **state) {
  (void)state;
  struct symbols *s = symbols_create();
  struct locator *here = locator_create(s, NULL), *elsewhere = locator_create(s, "/nonexistent");
  struct place p = {.file = mem_strdup(__FILE__)}, gone = {.file = mem_strdup("gone.c")};
  locator_add_object(here, "/proc/self/exe");
  locator_resolve(here, &p);
  assert_string_equal(p.file, __FILE__);
  locator_resolve(elsewhere, &p); /* no objects yet, and the answer is kept */
  assert_string_equal(p.file, __FILE__);
  locator_free(elsewhere);
  elsewhere = locator_create(s, "/nonexistent");
  locator_add_object(elsewhere, "/proc/self/exe");
  locator_resolve(elsewhere, &p);
  assert_int_equal(p.file[0], '/');
  assert_int_equal(access(p.file, R_OK), 0);
  assert_string_equal(path_basename(p.file), "report_symbol.c");
  locator_resolve(elsewhere, &gone);
  assert_string_equal(gone.file, "gone.c");
  locator_free(here);
  locator_free(elsewhere);
  symbols_free(s);
}

/* However a file was named, from the directory of the check it has one name. */
static void sources_have_one_name(void **state) {
  (void)state;
  char here[4096];
  assert_non_null(getcwd(here, sizeof here));
  struct symbols *s = symbols_create();
  struct locator *l = locator_create(s, here);
  struct str absolute = {0}, dotted = {0};
  str_format(&absolute, "%s/tests/unit/report_symbol.c", here);
  str_format(&dotted, "%s/src/../tests/./unit/report_symbol.c", here);
  const char *names[] = {"tests/unit/report_symbol.c", "./tests/unit/report_symbol.c",
                         "tests/unit/../unit/report_symbol.c", str_text(&absolute),
                         str_text(&dotted)};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    struct place p = {.file = mem_strdup(names[i])};
    locator_resolve(l, &p);
    assert_string_equal(p.file, "tests/unit/report_symbol.c");
  }
  struct place p = {.file = mem_strdup("/usr/lib/../include/stdio.h")};
  locator_resolve(l, &p);
  assert_string_equal(p.file, "/usr/include/stdio.h");
  p.file = mem_strdup("/gone/file.c");
  locator_resolve(l, &p);
  assert_string_equal(p.file, "/gone/file.c");
  str_free(&absolute);
  str_free(&dotted);
  locator_free(l);
  symbols_free(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(inlined_frames),        cmocka_unit_test(return_addresses),
      cmocka_unit_test(unknown_objects),       cmocka_unit_test(sources_are_located),
      cmocka_unit_test(sources_have_one_name), cmocka_unit_test(variables),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
