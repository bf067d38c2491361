// Locks that are tried again and again: whoever holds one goes on in the end, and nobody tries for ever.
// OPTIONS: --schedule=all
// MACHINES: ../schedules/try_again.c m A; ../schedules/try_again.c m B
// OUTCOMES: A saw 0; B saw 0; A saw 1; B saw 1; A saw 0 + B saw 0; A saw 0 + B saw 1; B saw 0 + A saw 0; B saw 0 + A saw 1
// COUNTS: 2138 executions, 2138 runs, 35 failure points
// OPTIONS: --schedule=all
// MACHINES: ../schedules/try_again.c r A; ../schedules/try_again.c r B
// OUTCOMES: A saw 0; B saw 0; A saw 0 + B saw 0; A saw 0 + B saw 1; B saw 0 + A saw 0; B saw 0 + A saw 1
// COUNTS: 1988 executions, 1988 runs, 20 failure points
// OPTIONS: --schedule=all
// MACHINES: ../schedules/try_again.c s A; ../schedules/try_again.c p B
// OUTCOMES: B saw 0; B saw 0 + A saw 0; B saw 0 + A saw 1
// COUNTS: 19540 executions, 19540 runs, 33 failure points
// OPTIONS: --schedule=bounded:1
// MACHINES: ../schedules/try_again.c m A; ../schedules/try_again.c m B
// OUTCOMES: A saw 0; B saw 0; B saw 1; A saw 0 + B saw 0; A saw 0 + B saw 1; B saw 0 + A saw 0; B saw 0 + A saw 1
// COUNTS: 362 executions, 362 runs, 23 failure points
// OPTIONS: --schedule=bounded:1
// MACHINES: ../schedules/try_again.c r A; ../schedules/try_again.c r B
// OUTCOMES: A saw 0; B saw 0; A saw 0 + B saw 0; A saw 0 + B saw 1; B saw 0 + A saw 0; B saw 0 + A saw 1
// COUNTS: 278 executions, 278 runs, 14 failure points
// OPTIONS: --schedule=bounded:1
// MACHINES: ../schedules/try_again.c s A; ../schedules/try_again.c p B
// OUTCOMES: B saw 0; B saw 0 + A saw 0; B saw 0 + A saw 1
// COUNTS: 491 executions, 491 runs, 33 failure points
#include "../cxl.h"
#include <semaphore.h>

struct shared {
  pthread_mutex_t mutex;
  _Alignas(64) pthread_rwlock_t rwlock;
  _Alignas(64) sem_t semaphore;
  _Alignas(64) volatile long value;
};

static void increment(struct shared *s, const char *name) {
  long before = s->value;
  s->value = before + 1;
  tidemark_outcome("%s saw %ld", name, before);
}

int main(int argc, char **argv) {
  struct shared *s = tidemark_region("shared", sizeof *s);
  const char *name = argv[2];
  (void)argc;
  switch (*argv[1]) {
  case 'm':
    while (pthread_mutex_trylock(&s->mutex))
      ;
    increment(s, name);
    pthread_mutex_unlock(&s->mutex);
    break;
  case 'r':
    while (pthread_rwlock_trywrlock(&s->rwlock))
      ;
    increment(s, name);
    pthread_rwlock_unlock(&s->rwlock);
    break;
  case 's':
    while (sem_trywait(&s->semaphore))
      if (tidemark_machine_failed(1))
        return 0;
    increment(s, name);
    break;
  case 'p':
    increment(s, name);
    sem_post(&s->semaphore);
    break;
  }
}
