/* What machines store is not nothing although no failure could be noticed.
 *
 * RUN: %tidemark_cc %s -o %t && %tidemark check --model=cxl %t > %t.txt 2>&1 || (cat %t.txt; false)
 * RUN: %FileCheck %s < %t.txt
 * RUN: %tidemark_cc -DNOTHING %s -o %t && %tidemark check --model=cxl %t > %t.txt 2>&1; test $? = 5
 * RUN: %FileCheck --check-prefix=NOTHING %s < %t.txt
 * Locks of a machine's own threads are places where it may fail, but nothing of the others depends on that.
 * RUN: %tidemark_cc -DTHREADS %s -o %t && %tidemark check --model=cxl %t > %t.txt 2>&1; test $? = 5
 * RUN: %FileCheck --check-prefix=NOTHING %s < %t.txt
 * RUN: %tidemark_cc -DASKS %s -o %t && %tidemark check --model=cxl %t > %t.txt 2>&1
 *
 * CHECK: no findings; the search is complete
 * NOTHING: nothing was checked
 */
#include <pthread.h>
#include <tidemark.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

int main(void) {
  volatile long *p = tidemark_region("p", 4096);
#if defined THREADS
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
#elif defined ASKS
  (void)mutex, (void)tidemark_machine_failed(0);
#elif !defined NOTHING
  (void)mutex;
  p[tidemark_machine() * 8] = 1;
#endif
  return (int)p[24];
}
