/* Two threads create one each, and nothing is shared: which of them is created first makes no difference, and that has to
 * be found out without any other reason to begin the search again.  The bug: both write to one place. */
#include "twin.h"

#ifndef FIXED
static int result;
#endif

static void *leaf(void *unused) {
#ifndef FIXED
  result = 1;
#endif
  return unused;
}

static void *branch(void *unused) {
  pthread_t t;
  pthread_create(&t, NULL, leaf, NULL);
  pthread_join(t, NULL);
  return unused;
}

int main(void) {
  run_both(branch, branch);
}
