/* Two locks in opposite order: a deadlock, and both orders in which there is none; in the program, and in its recovery.
 *
 * RUN: %tidemark_cc %s -o %t -pthread && (%tidemark check --schedule=all %t > %t.txt 2>&1; test $? = 1)
 * RUN: %FileCheck %s < %t.txt
 * RUN: (%tidemark check --schedule=all %t after > %t.txt 2>&1; test $? = 1) && %FileCheck %s < %t.txt
 * RUN: (%tidemark check --model=sc %t > %t.txt 2>&1; test $? = 1) && %FileCheck %s < %t.txt
 * RUN: (%tidemark check --model=tso %t > %t.txt 2>&1; test $? = 1) && %FileCheck %s < %t.txt
 *
 * CHECK: error[deadlock]
 * CHECK: x first
 * CHECK: x second
 * CHECK: the search is complete
 */
#include <pthread.h>
#include <tidemark.h>

static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, two = PTHREAD_MUTEX_INITIALIZER;
static const char *last;

static void *first(void *unused) {
  pthread_mutex_lock(&one);
  pthread_mutex_lock(&two);
  last = "first";
  pthread_mutex_unlock(&two);
  pthread_mutex_unlock(&one);
  return unused;
}

static void *second(void *unused) {
  pthread_mutex_lock(&two);
  pthread_mutex_lock(&one);
  last = "second";
  pthread_mutex_unlock(&one);
  pthread_mutex_unlock(&two);
  return unused;
}

int main(int count, char **arguments) {
  long *stored = tidemark_region("stored", sizeof *stored);
  (void)arguments;
  *stored = 1;
  if (tidemark_failures() != count - 1)
    return 0;
  pthread_t a, b;
  pthread_create(&a, NULL, first, NULL);
  pthread_create(&b, NULL, second, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  tidemark_outcome("%s", last);
  return 0;
}
