/* Blocks of the allocator, and that the program's threads do not hold any where they can be put back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "base/check.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include <cmocka.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static void blocks_are_zeroed_and_used_again(void **state) {
  (void)state;
  char *p = mem_alloc(100);
  memset(p, 1, 100);
  mem_free(p, 100);
  char *q = mem_alloc(120); /* the same class */
  assert_ptr_equal(p, q);
  for (int i = 0; i < 120; i++)
    assert_int_equal(q[i], 0);
  mem_free(q, 120);
}

static void resizing_keeps_contents(void **state) {
  (void)state;
  unsigned char *p = mem_alloc(10);
  memset(p, 7, 10);
  for (size_t n = 10; n < 5000; n = n * 2 + 1) {
    p = mem_resize(p, n, n * 2 + 1);
    for (size_t i = 0; i < n * 2 + 1; i++)
      assert_int_equal(p[i], i < n ? 7 : 0);
    memset(p, 7, n * 2 + 1);
  }
}

/* A list that has grown where memory is not shared is another one in the process that was forked off, and what it was
 * before stays as it was. */
static void own_blocks_are_those_of_the_fork(void **state) {
  (void)state;
  enum { BYTES = 1 << 20 };
  char *shared = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  char *unshared = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mem_set_arena(shared, BYTES);
  mem_set_own_arena(unshared, BYTES);
  VEC(int) list = {0};
  vec_push(&list, 1);
  int *before = list.data;
  mem_begin_own();
  vec_reserve(&list, 100);
  mem_end_own();
  assert_in_range(list.data, unshared, unshared + BYTES);
  int *next = mem_alloc(8 * sizeof *next); /* of the class that the list has outgrown */
  assert_in_range(next, shared, shared + BYTES);
  assert_ptr_not_equal(next, before);
  assert_int_equal(before[0], 1);
  pid_t child = fork();
  if (child == 0) {
    list.data[0] = next[0] = 2;
    mem_begin_own();
    vec_free(&list);
    mem_end_own();
    _exit(0);
  }
  waitpid(child, NULL, 0);
  assert_int_equal(list.data[0], 1);
  assert_int_equal(next[0], 2);
  vec_free(&list);
  mem_begin_own();
  assert_in_range(mem_alloc(100 * sizeof(int)), unshared, unshared + BYTES);
  mem_end_own();
}

/* The exit status of a process in which the program's thread does that. */
static int in_program(void (*act)(void)) {
  pid_t child = fork();
  if (child == 0) {
    check_fd = -1;
    mem_begin_program();
    act();
    mem_end_program();
    _exit(0);
  }
  int status;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void hold_a_block(void) {
  void *p = mem_alloc(16);
  mem_may_go_back();
  mem_free(p, 16);
}

static void hold_a_text(void) {
  struct str text = {0};
  str_format(&text, "%d", 1);
  mem_may_go_back();
  str_free(&text);
}

static void hold_a_block_among_others(void) {
  void *p = mem_alloc(16);
  for (int i = 0; i < 20; i++)
    mem_alloc(16);
  mem_may_go_back();
  mem_alloc(16);
  mem_free(p, 16);
}

static void hold_nothing(void) {
  struct str text = {0};
  for (int i = 0; i < 1000; i++)
    str_format(&text, "%d", i);
  void *p = mem_alloc(16);
  mem_free(p, 16);
  str_free(&text);
  mem_may_go_back();
}

static void take_many(void) {
  void *p = mem_alloc(16);
  for (int i = 0; i < 1000; i++)
    mem_alloc(16);
  mem_free(p, 16);
}

static void keep_a_list(void) {
  VEC(int) list = {0};
  for (int i = 0; i < 1000; i++) {
    vec_push(&list, i);
    mem_may_go_back();
  }
}

static void what_is_held_is_noticed(void **state) {
  (void)state;
  assert_int_equal(in_program(hold_a_block), EXIT_INTERNAL);
  assert_int_equal(in_program(hold_a_text), EXIT_INTERNAL);
  assert_int_equal(in_program(hold_a_block_among_others), EXIT_INTERNAL);
}

static void what_is_kept_or_given_back_is_not(void **state) {
  (void)state;
  assert_int_equal(in_program(hold_nothing), 0);
  assert_int_equal(in_program(take_many), 0);
  assert_int_equal(in_program(keep_a_list), 0);
}

static void the_host_may_hold_blocks(void **state) {
  (void)state;
  void *p = mem_alloc(16);
  mem_begin_program();
  mem_end_program();
  mem_free(p, 16);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(blocks_are_zeroed_and_used_again),
      cmocka_unit_test(resizing_keeps_contents),
      cmocka_unit_test(what_is_held_is_noticed),
      cmocka_unit_test(what_is_kept_or_given_back_is_not),
      cmocka_unit_test(the_host_may_hold_blocks),
      cmocka_unit_test(own_blocks_are_those_of_the_fork), /* last: other arenas from then on */
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
