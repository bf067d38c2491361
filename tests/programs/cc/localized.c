/* Code whose symbols objcopy has made local, but for those that it is to offer (as PMDK's archives are
 * made), is checked like any other.
 *
 * RUN: rm -rf %t && mkdir -p %t && %tidemark_cc -DPART -c %s -o %t/part.o
 * RUN: objcopy -G publish -G count %t/part.o %t/local.o && ar qc %t/libpart.a %t/local.o
 * RUN: %tidemark_cc %s %t/libpart.a -pthread -o %t/prog && nm %t/prog | grep -q 'b __tidemark_watch'
 * RUN: ! %tidemark check %t/prog > %t/pm.txt 2>&1
 * RUN: %FileCheck --check-prefix=PM --implicit-check-not=note:{{.*}}built %s < %t/pm.txt
 * PM: error[assertion]: assertion failed: !p[8] || p[0]
 * PM: stored at {{.*}}in publish
 *
 * RUN: ! %tidemark check --model=sc %t/prog > %t/sc.txt 2>&1
 * RUN: %FileCheck --check-prefix=SC %s < %t/sc.txt
 * SC: error[data-race]
 */
#include <immintrin.h>
#include <pthread.h>
#include <tidemark.h>

void publish(long *p);
void *count(void *unused);

#ifdef PART
static long counted;

void publish(long *p) {
  p[0] = 1;
  p[8] = 1;
}

void *count(void *unused) {
  counted++;
  return unused;
}
#else
int main(void) {
  long *p = tidemark_region("p", 128);
  if (tidemark_failures()) {
    tidemark_assert(!p[8] || p[0]);
    return 0;
  }
  publish(p);
  pthread_t other;
  pthread_create(&other, NULL, count, NULL);
  count(NULL);
  pthread_join(other, NULL);
  return 0;
}
#endif
