// OPTIONS: --keep-going
// OUTCOMES: 0; 1
// FINDINGS: deadlock
// COUNTS: 4 executions, 4 runs, 3 failure points
// A machine ends its program without releasing a plain mutex: machine 1 waits for ever, unless the
// first one fails after all, which releases it.
#include "../cxl.h"

int main(void) {
  pthread_mutex_t *m = (pthread_mutex_t *)cxl_word(64);
  pthread_mutex_lock(m);
  if (tidemark_machine() == 1)
    SHOW("%d", tidemark_mutex_owner_failed(m));
}
