#include <pthread.h>
#include <stdlib.h>
#include <string.h>

long room_sum(void);

/* Each thread has a room of its own, and it is fresh in every execution. */
static void *use(void *unused) {
  (void)unused;
  for (long i = 0; i < 3; i++)
    if (room_sum() != i)
      abort();
  return NULL;
}

int main(int argc, char **argv) {
  pthread_t thread;
  use(NULL);
  if (pthread_create(&thread, NULL, use, NULL) || pthread_join(thread, NULL))
    return 2;
  const char *tunables = getenv("GLIBC_TUNABLES");
  return argc < 2 || strcmp(tunables ? tunables : "unset", argv[1]) != 0;
}
