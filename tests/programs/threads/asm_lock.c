/* A lock and a flag of inline assembly, as in libraries older than C11: a mov is an atomic access, and
 * orders what is around it if the compiler may not move memory accesses across it.
 *
 * RUN: %tidemark_cc -O1 %s -o %t
 * RUN: for m in sc tso; do %tidemark check --model=$m %t || exit 1; done
 * RUN: %tidemark_cc -O1 -DMOVES %s -o %t.moves
 * RUN: %tidemark check --model=sc %t.moves > %t.log 2>&1; test $? = 1
 * RUN: %FileCheck %s < %t.log
 * CHECK: error[data-race]: data race on counter: this {{load|store}} of thread
 * CHECK: counter
 * CHECK-NOT: __asm__
 */
#include <assert.h>
#include <pthread.h>

#ifdef MOVES
#define BARRIER "cc"
#else
#define BARRIER "memory"
#endif

static unsigned lock;
static int counter;

static unsigned exchange(unsigned *p, unsigned value) {
  __asm__ volatile("xchgl %0, %1" : "+r"(value), "+m"(*p) : : "memory");
  return value;
}

static unsigned load(const unsigned *p) {
  unsigned value;
  __asm__ volatile("movl %1, %0" : "=r"(value) : "m"(*p) : "memory");
  return value;
}

static void store(unsigned *p, unsigned value) {
  __asm__ volatile("movl %1, %0" : "=m"(*p) : "r"(value) : BARRIER);
}

static void *count(void *unused) {
  (void)unused;
  while (exchange(&lock, 1))
    while (load(&lock))
      ;
  counter++;
  store(&lock, 0);
  return NULL;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, count, NULL);
  count(NULL);
  pthread_join(t, NULL);
  assert(counter == 2);
}
