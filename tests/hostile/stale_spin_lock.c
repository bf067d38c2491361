// EXPECT: segfault 1
// ONLY: pm
// SAYS: in the heap before the failure
// A lock whose bytes nobody looks at is memory all the same.
#include <pthread.h>
#include <stdlib.h>
#include <tidemark.h>
int main(void) {
  pthread_spinlock_t **pm = tidemark_region("root", 64);
  if (*pm)
    return pthread_spin_lock(*pm);
  pthread_spinlock_t *lock = malloc(sizeof *lock);
  pthread_spin_init(lock, 0);
  *pm = lock;
  return 0;
}
