// Several workers, and a program that writes, looks at and removes real files: what one worker's execution does with
// them, another's does not see.
// RUN: rm -rf %t.files && mkdir -p %t.files
// RUN: %tidemark_cc -g %s -o %t
// RUN: %tidemark check --model=sc --jobs=4 %t %t.files > %t.txt 2>&1
// RUN: %FileCheck %s < %t.txt
// RUN: %tidemark check --model=sc --jobs=4 --isolate --max-executions=500 %t %t.files > %t.txt 2>&1; test $? = 5
// CHECK: executions 924 covered
// CHECK: no findings; the search is complete
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static atomic_int steps;
static char paths[2][4096];

static void pass_time(void) {
  for (int i = 0; i < 3; i++)
    if (steps++ > 1000) /* who looks at the number cares for the order */
      abort();
}

static void *work(void *path) {
  struct stat s;
  FILE *f = fopen(path, "wx");
  assert(f && fputs("text", f) >= 0 && fclose(f) == 0);
  pass_time();
  assert(stat(path, &s) == 0 && s.st_size == 4);
  pass_time();
  assert(unlink(path) == 0 && open(path, O_RDONLY) < 0);
  return NULL;
}

int main(int argc, char **argv) {
  pthread_t threads[2];
  for (int i = 0; i < 2; i++)
    snprintf(paths[i], sizeof paths[i], "%s/%d", argv[argc - 1], i);
  for (int i = 0; i < 2; i++)
    pthread_create(&threads[i], NULL, work, paths[i]);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
}
