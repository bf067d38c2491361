// libc is not left while it writes to a stream: its locks take all threads for one.
// RUN: %tidemark_cc -g %s -o %t
// RUN: %tidemark check --schedule=all %t > %t.txt 2>&1
// RUN: %FileCheck %s < %t.txt
// CHECK: no findings; the search is complete
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <tidemark.h>

static char *pm;
static FILE *stream;

static void *other(void *unused) {
  fputs(pm + 64, stream);
  return unused;
}

int main(void) {
  static char buffer[1000];
  pthread_t t;
  pm = tidemark_region("r", 4096);
  if (tidemark_failures())
    return 0;
  strcpy(pm, "abcdefghijklmnopqrstuvwxyz");
  strcpy(pm + 64, "0123456789012345678901234567890");
  stream = fmemopen(buffer, sizeof buffer, "w");
  pthread_create(&t, NULL, other, NULL);
  fputs(pm, stream);
  pthread_join(t, NULL);
  fclose(stream);
  tidemark_assert(strlen(buffer) == 26 + 31 && strstr(buffer, "abcdefghijklmnopqrstuvwxyz"));
  tidemark_assert(strstr(buffer, "0123456789012345678901234567890"));
  return 0;
}
