/* Handlers that leave by siglongjmp: their signal is unblocked again, and what is pending then comes.
 *
 * RUN: %tidemark_cc -O1 %s -o %t && %t
 * RUN: for m in sc tso pm cxl; do %tidemark check --model=$m --allow-empty %t || exit 1; done
 */
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>

static _Thread_local sigjmp_buf back;
static _Thread_local volatile int first, second;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int leaps;

static void on_signal(int sig) {
  if (sig == SIGUSR2) {
    second++;
    return;
  }
  first++;
  raise(SIGUSR2);
  assert(second == first - 1); /* it is blocked until then */
  siglongjmp(back, sig);
}

static void *leap(void *unused) {
  for (volatile int i = 0; i < 2; i++) {
    int came = sigsetjmp(back, 1);
    if (!came) {
      pthread_mutex_lock(&mutex);
      leaps++;
      raise(SIGUSR1);
    }
    assert(came == SIGUSR1 && second == first);
    pthread_mutex_unlock(&mutex);
  }
  return unused;
}

int main(void) {
  struct sigaction action = {.sa_handler = on_signal};
  sigaddset(&action.sa_mask, SIGUSR2);
  sigaction(SIGUSR1, &action, NULL);
  sigaction(SIGUSR2, &action, NULL);
  pthread_t t;
  pthread_create(&t, NULL, leap, NULL);
  leap(NULL);
  pthread_join(t, NULL);
  assert(leaps == 4);
  if (sigsetjmp(back, 0) == 0) /* without the mask */
    raise(SIGUSR1);
  sigset_t blocked;
  sigprocmask(SIG_SETMASK, NULL, &blocked);
  assert(sigismember(&blocked, SIGUSR1) == 1 && second == first - 1);
}
