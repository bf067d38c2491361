/* A well-behaved machine whose neighbour is not: threads, heap, files, libc's own state and shared
 * memory are as if it were alone.  The argument is the neighbour's number. */
#include "../../cxl.h"
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *count(void *unused) {
  (void)unused;
  for (int i = 0; i < 3; i++) {
    pthread_mutex_lock(&mutex);
    int before = counter;
    sched_yield();
    counter = before + 1;
    pthread_mutex_unlock(&mutex);
  }
  return NULL;
}

static void libc_is_as_new(void) {
  struct sigaction action;
  tidemark_assert(rand() == 1804289383);
  srand(1);
  tidemark_assert(stdin->_fileno == 0);
  tidemark_assert(strcmp(setlocale(LC_ALL, NULL), "C") == 0);
  tidemark_assert(_MM_GET_ROUNDING_MODE() == _MM_ROUND_NEAREST);
  tidemark_assert(sigaction(SIGTERM, NULL, &action) == 0 && action.sa_handler == SIG_DFL);
  tidemark_assert(strtol("12", NULL, 10) == 12);
}

int main(int argc, char **argv) {
  int neighbour = argc == 2 ? atoi(argv[1]) : 0;
  volatile uint64_t *mine = cxl_word(64);
  char *text = malloc(100);
  pthread_t t;
  memset(text, 'x', 100);
  libc_is_as_new();
  *mine = 5;
  clflush(mine);
  pthread_create(&t, NULL, count, NULL);
  count(NULL);
  pthread_join(t, NULL);
  libc_is_as_new();
  for (int i = 0; i < 100; i++)
    tidemark_assert(text[i] == 'x');
  free(text);
  tidemark_assert(*mine == 5);
  SHOW("%d %d", counter, tidemark_machine_failed(neighbour));
}
