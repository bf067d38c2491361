// CHECK sc: verified
// CHECK rc11: verified
// CHECK aarch64: verified
// CHECK rc11 -DLATE: violated 22
// CHECK sc -DLATE: violated 22
// CHECK sc -DSKIPPED: violated 22
// CHECK sc -DWRONG: violated 46
// Functions that threads are told through memory of malloc: whatever it holds before somebody has
// written is the address of none.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
struct launch {
  pthread_t thread;
  long id;
  void (*run)(long id);
};
static atomic_int hits[2];
static void *start(void *argument) {
  struct launch *l = argument;
  l->run(l->id);
  return 0;
}
static void hit(long id) { atomic_fetch_add_explicit(&hits[id], 1, memory_order_relaxed); }
static void miss(long id) { (void)id; }
int main(void) {
  struct launch *all = malloc(2 * sizeof *all);
  for (long i = 0; i < 2; i++) {
    all[i].id = i;
#ifdef WRONG
    all[i].run = i ? miss : hit;
#elif !defined LATE && !defined SKIPPED
    all[i].run = hit;
#elif defined SKIPPED
    if (!i)
      all[i].run = miss;
#endif
    pthread_create(&all[i].thread, 0, start, &all[i]);
#ifdef LATE
    all[i].run = hit;
#endif
  }
  for (int i = 0; i < 2; i++)
    pthread_join(all[i].thread, 0);
  assert(hits[0] == 1 && hits[1] == 1);
  free(all);
  return 0;
}
