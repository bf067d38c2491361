/* Command lines as text, programs by name, output files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/output_file.h"
#include "cli/program.h"
#include "cli/progress.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/tidemark-test-XXXXXX";

static int make_folder(void **state) {
  (void)state;
  return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int remove_folder(void **state) {
  (void)state;
  return chdir("/") == 0 && rmdir(folder) == 0 ? 0 : -1;
}

static void make_file(const char *name, mode_t mode) {
  FILE *f = fopen(name, "w");
  fputs("#!/bin/sh\n", f);
  fclose(f);
  chmod(name, mode);
}

static void splitting(void **state) {
  (void)state;
  word_list w = {0};
  struct str error = {0};
  assert_true(words_split("  a 'b  c' \"d 'e\" f\\ g''h '' \\\\", &w, &error));
  assert_int_equal(w.length, 6);
  assert_string_equal(w.data[0], "a");
  assert_string_equal(w.data[1], "b  c");
  assert_string_equal(w.data[2], "d 'e");
  assert_string_equal(w.data[3], "f gh");
  assert_string_equal(w.data[4], "");
  assert_string_equal(w.data[5], "\\");
  words_free(&w);
  assert_false(words_split("a 'b", &w, &error));
  assert_string_equal(str_text(&error), "a quote is not closed in: a 'b");
  words_free(&w);
  str_free(&error);
}

static void assert_found(const char *name, const char *path, const char *why) {
  struct str found = {0}, error = {0};
  assert_int_equal(program_find(name, &found, &error), path != NULL);
  if (path)
    assert_string_equal(str_text(&found), path);
  else
    assert_string_equal(str_text(&error), why);
  str_free(&found);
  str_free(&error);
}

static void finding(void **state) {
  (void)state;
  make_file("here", 0755);
  make_file("plain", 0644);
  make_file("text.c", 0644);
  make_file("text.cpp", 0644);
  setenv("PATH", "/nonexistent::/usr", 1);
  assert_found("./here", "./here", NULL);
  assert_found("here", "./here", NULL); /* an empty part of PATH is the current folder */
  setenv("PATH", "/nonexistent", 1);
  assert_found("here", NULL, "here: no such program in PATH; did you mean ./here?");
  assert_found(".", NULL, ".: no such program in PATH");
  assert_found("gone", NULL, "gone: no such program in PATH");
  assert_found("./gone", NULL, "./gone: no such program");
  assert_found("./plain", NULL, "./plain: is not executable");
  assert_found("text.c", NULL,
               "text.c: is a source file; build it with tidemark-cc and check the program");
  assert_found("./text.cpp", NULL,
               "./text.cpp: is a source file; build it with tidemark-c++ and check the program");
  assert_found("/", NULL, "/: is a directory, not a program");
  assert_found("/dev/null", NULL, "/dev/null: is not a program file");
  unlink("here");
  unlink("plain");
  unlink("text.c");
  unlink("text.cpp");
}

static void output_files(void **state) {
  (void)state;
  struct output_file f;
  struct str text = {0}, error = {0};
  str_append(&text, "short");
  assert_false(output_file_open(&f, "no/such/folder", &error));
  assert_string_equal(str_text(&error), "cannot write no/such/folder: No such file or directory");
  assert_true(output_file_open(&f, "new", &error));
  output_file_abandon(&f);
  assert_int_not_equal(access("new", F_OK), 0); /* it was not there before */
  make_file("old", 0644);
  assert_true(output_file_open(&f, "old", &error));
  output_file_abandon(&f);
  assert_int_equal(access("old", F_OK), 0);
  assert_true(output_file_open(&f, "old", &error));
  assert_true(output_file_write(&f, &text, &error));
  struct stat st;
  stat("old", &st);
  assert_int_equal(st.st_size, 5); /* what was longer is gone */
  unlink("old");
  str_clear(&error);
  assert_true(output_file_open(&f, "/dev/full", &error));
  assert_false(output_file_write(&f, &text, &error));
  assert_string_equal(str_text(&error), "cannot write /dev/full: No space left on device");
  str_free(&text);
  str_free(&error);
}

static void progress_lines(void **state) {
  (void)state;
  static struct job_status s;
  struct str text = {0};
  struct curve time = {0};
  s.executions = 1;
  progress_text(&s, &time, 0.1, 80, &text);
  assert_string_equal(str_text(&text), "1 execution, 0 findings");
  str_clear(&text);
  s.executions = 80210;
  s.findings = 1;
  s.failure_points = 90;
  s.failure_points_begun = 30;
  progress_text(&s, &time, 10, 100, &text);
  assert_string_equal(str_text(&text),
                      "80,210 executions (8,021/s), 1 finding, at failure point 30 of 90");
  str_clear(&text);
  progress_text(&s, &time, 10, 20, &text);
  assert_string_equal(str_text(&text), "80,210 executions (8");
  str_free(&text);
  curve_free(&time);
}

/* Each failure point takes longer than the one before. */
static void progress_of_a_long_search(void **state) {
  (void)state;
  static struct job_status s;
  struct str text = {0};
  struct curve time = {0};
  s.executions = 900;
  s.failure_points = 999;
  for (s.failure_points_begun = 2; s.failure_points_begun <= 251; s.failure_points_begun++) {
    double before = (double)s.failure_points_begun - 1;
    str_clear(&text);
    progress_text(&s, &time, before * before / 500, 100, &text);
  }
  assert_non_null(strstr(str_text(&text), "at failure point 251 of 999"));
  assert_non_null(strstr(str_text(&text), " %, "));
  int percent = atoi(strstr(str_text(&text), "999 (") + 5);
  assert_in_range(percent, 5, 7); /* (250 / 1000) ^ 2 */
  str_clear(&text);
  s.looked_ahead = 3;
  progress_text(&s, &time, 125, 120, &text);
  assert_non_null(strstr(str_text(&text), ", all with 2 older values seen"));
  str_free(&text);
  curve_free(&time);
}

/* Where a search that ended early says nothing true about its extent, it says nothing. */
static void assert_reached(struct job_status s, const char *expected) {
  struct str text = {0};
  progress_reached(&s, &(struct curve){0}, 10, &text);
  assert_string_equal(str_text(&text), expected);
  str_free(&text);
}

static void reached_in_time(void **state) {
  struct job_status s = {.failure_points = 99};
  struct curve time = {0};
  struct str text = {0};
  (void)state;
  for (s.failure_points_begun = 2; s.failure_points_begun <= 51; s.failure_points_begun++)
    progress_note(&s, &time, (double)s.failure_points_begun - 1);
  s.failure_points_begun--;
  progress_reached(&s, &time, 50, &text);
  assert_string_equal(
      str_text(&text),
      " (stopped at failure point 51 of 99 of the first execution, about 50 s before the end)");
  str_free(&text);
  curve_free(&time);
}

static void reached(void **state) {
  (void)state;
  assert_reached((struct job_status){0}, "");
  assert_reached((struct job_status){.failure_points = 1, .failure_points_begun = 1}, "");
  assert_reached((struct job_status){.failure_points = 1}, "");
  assert_reached((struct job_status){.failure_points = 1234, .failure_points_begun = 2},
                 " (stopped at failure point 2 of 1,234 of the first execution)");
  assert_reached((struct job_status){.failure_points = 9, .failure_points_begun = 9, .put_off = 1},
                 " (stopped at failure point 9 of 9 of the first execution, 1 takes long and is "
                 "left for last)");
  assert_reached(
      (struct job_status){
          .failure_points = 9, .failure_points_begun = 9, .put_off = 2, .rest_put_off = true},
      " (2 of 9 failure points of the first execution take long; the others are done)");
  assert_reached((struct job_status){.schedules = 1}, " (1 schedule is done)");
  assert_reached((struct job_status){.schedules = 1, .schedules_wanted = 9},
                 " (1 of 9 schedules are done)");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(splitting),
      cmocka_unit_test(finding),
      cmocka_unit_test(output_files),
      cmocka_unit_test(progress_lines),
      cmocka_unit_test(progress_of_a_long_search),
      cmocka_unit_test(reached),
      cmocka_unit_test(reached_in_time),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
