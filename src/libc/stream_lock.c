#include "libc/stream_lock.h"
#include "access/ordinary.h"
#include "process/caller.h"
#include "process/image.h"
#include "process/stop.h"
#include "process/world.h"
#include "thread/entered.h"
#include <pthread.h>

#define STREAMS 8

/* World memory.  Where a stream's lock is must not depend on who comes first, as long as there is room. */
static struct {
  const FILE *file;
  pthread_mutex_t mutex;
} locks[STREAMS] = {
    [0 ... STREAMS - 1] = {.mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP},
};

void stream_lock_init(void) {
  world_include(locks, sizeof locks);
}

static pthread_mutex_t *lock_of(const FILE *file) {
  size_t first = ((uintptr_t)file >> 4) * 0x9e3779b97f4a7c15 >> 32;
  for (size_t i = 0; i < STREAMS; i++) {
    size_t at = (first + i) % STREAMS;
    if (!locks[at].file)
      locks[at].file = file;
    if (locks[at].file == file)
      return &locks[at].mutex;
  }
  stop_with(STOP_REFUSED, NULL,
            "locking more than %d streams is not supported in a checked program", STREAMS);
}

void stream_lock_take(const FILE *file) {
  if (image_locks_streams)
    pthread_mutex_lock(lock_of(file));
}

void stream_lock_give(const FILE *file) {
  if (image_locks_streams)
    pthread_mutex_unlock(lock_of(file));
}

void stream_lock_pass(const FILE *file) {
  stream_lock_take(file);
  stream_lock_give(file);
}

INTERPOSE void flockfile(FILE *file) {
  ENTERED();
  if (CALLED_BY_PROGRAM() && ordinary_runs())
    pthread_mutex_lock(lock_of(file));
  else
    REAL(flockfile)(file);
}

INTERPOSE int ftrylockfile(FILE *file) {
  ENTERED();
  return CALLED_BY_PROGRAM() && ordinary_runs() ? pthread_mutex_trylock(lock_of(file))
                                                : REAL(ftrylockfile)(file);
}

INTERPOSE void funlockfile(FILE *file) {
  ENTERED();
  if (CALLED_BY_PROGRAM() && ordinary_runs())
    pthread_mutex_unlock(lock_of(file));
  else
    REAL(funlockfile)(file);
}
