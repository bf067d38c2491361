/* Who unlocks last frees the lock; but the other one has only looked whether it is the last, and comes back. */
#include "twin.h"

struct object {
  pthread_mutex_t lock;
  int users;
};

static struct object *object;

static void *leaves(void *unused) {
  pthread_mutex_lock(&object->lock);
  int left = --object->users;
#ifdef FIXED
  pthread_mutex_unlock(&object->lock);
  if (left == 0)
    free(object);
#else
  if (left == 0)
    free(object); /* and unlocks it then */
  pthread_mutex_unlock(&object->lock);
#endif
  return unused;
}

int main(void) {
  object = malloc(sizeof *object);
  pthread_mutex_init(&object->lock, NULL);
  object->users = 2;
  run_both(leaves, leaves);
}
