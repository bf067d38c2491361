// main is started without arguments: it is told its name.  The sizes of local arrays are known then.
// CHECK sc: violated 22
// CHECK sc -DSTRICT: verified
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static int a, b, writers = 2;

static void *set(void *unused) {
  a = 1;
  b = -1;
  return unused;
}

static void *check(void *unused) {
  int x = a, y = b;
#ifdef STRICT
  assert(x == 0 || x == 1);
#else
  assert((x == 0 && y == 0) || (x == 1 && y == -1));
#endif
  (void)y;
  return unused;
}

int main(int argc, char **argv, char **environment) {
  if (argc != 1 || !argv[0][0] || strlen(argv[0]) > 100 || argv[1] || environment[0]) exit(1);
  pthread_t sets[writers], checks[1];
  for (int i = 0; i < writers; i++)
    if (pthread_create(&sets[i], NULL, set, NULL)) exit(1);
  pthread_create(&checks[0], NULL, check, NULL);
  for (int i = 0; i < writers; i++) pthread_join(sets[i], NULL);
  pthread_join(checks[0], NULL);
#ifdef STRICT
  assert(a == 1 && b == -1);
#endif
}
