/* Optimised programs call other functions of libc, and others again with _FORTIFY_SOURCE: __getdelim, __vsnprintf_chk,
 * __fread_chk.  What they do to memory is seen all the same. */
// RUN: %tidemark_cc -g -O2 -DWHICH=1 %s -o %t1 -pthread
// RUN: %tidemark check --model=sc %t1 > %t.log 2>&1; test $? = 1 && %FileCheck %s --check-prefix=LINE < %t.log
// RUN: %tidemark_cc -g -O2 -D_FORTIFY_SOURCE=2 -DWHICH=2 %s -o %t2 -pthread
// RUN: %tidemark check --model=sc %t2 > %t.log 2>&1; test $? = 1 && %FileCheck %s --check-prefix=TEXT < %t.log
// RUN: %tidemark_cc -g -O2 -D_FORTIFY_SOURCE=2 -DWHICH=3 %s -o %t3 -pthread
// RUN: %tidemark check --model=sc %t3 > %t.log 2>&1; test $? = 1 && %FileCheck %s --check-prefix=TEXT < %t.log
// LINE: error[{{data-race|use-after-free}}]
// TEXT: data race on text
#define _GNU_SOURCE
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>

static char *line, text[64];
static size_t room;
static FILE *file;

static __attribute__((noinline)) void say(const char *format, ...) {
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
}

static void use(int number) {
  if (WHICH == 1 && getline(&line, &room, file) < 0)
    line = NULL;
  if (WHICH == 2)
    say("number %d", number);
  if (WHICH == 3 && fread(text, 1, (size_t)number, file) == 0)
    text[0] = 0;
}

static void *other(void *number) {
  use(*(int *)number);
  return NULL;
}

int main(int argc, char **argv) {
  int number = argc + 2;
  pthread_t thread;
  (void)argv;
  file = tmpfile();
  if (!file || fputs("hello\nworld\n", file) < 0)
    return 2;
  rewind(file);
  pthread_create(&thread, NULL, other, &number);
  use(number);
  pthread_join(thread, NULL);
  return 0;
}
