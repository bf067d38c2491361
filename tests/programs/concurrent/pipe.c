/* Work is handed over through a pipe.  Who reads knows what was done before it was written, and waits until there is
 * something; two who read must not both wait for the one byte. */
#include "twin.h"
#include <unistd.h>

static int ends[2];
static int work;

static void *makes(void *unused) {
  work = 7;
  assert(write(ends[1], "!", 1) == 1);
#ifdef FIXED
  assert(write(ends[1], "!", 1) == 1);
#endif
  return unused;
}

static void *waits(void *unused) {
  char byte;
  assert(read(ends[0], &byte, 1) == 1);
  assert(byte == '!' && work == 7);
  return unused;
}

int main(void) {
  assert(pipe(ends) == 0);
  pthread_t other;
  pthread_create(&other, NULL, waits, NULL);
  run_both(makes, waits);
  pthread_join(other, NULL);
  close(ends[1]);
  char byte;
  assert(read(ends[0], &byte, 1) == 0);
}
