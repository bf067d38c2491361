/* A thread that tries for a lock again and again, and what others notice of it.  One that gives a permit away each time
 * is in another state each time: how often it has done so is explored.  One that takes and gives back another lock in
 * between is not, after the first time; the report says so if somebody could have seen it, and only then.
 *
 * RUN: %tidemark_cc -O1 -DPOSTS %s -o %t.posts
 * RUN: %tidemark check --model=sc --unroll=4 --json=%t.json %t.posts > %t.log 2>&1; test $? = 5
 * RUN: for n in 0 1 2 3; do grep -q "^ *\"$n\": " %t.json || { echo "not $n times"; exit 1; }; done
 * RUN: %tidemark_cc -O1 -DSEEN %s -o %t.seen && %tidemark check --model=sc %t.seen 2> %t.log
 * RUN: grep -q 'note: a thread that had tried for a lock in vain' %t.log
 * RUN: %tidemark_cc -O1 %s -o %t.unseen && %tidemark check --model=sc %t.unseen 2> %t.log
 * RUN: ! grep -q 'note: a thread that had tried' %t.log
 */
#include <pthread.h>
#include <semaphore.h>
#include <tidemark.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static sem_t permits;

static void *tries(void *unused) {
  while (pthread_mutex_trylock(&lock)) {
#ifdef POSTS
    sem_post(&permits);
#else
    pthread_mutex_lock(&other);
    pthread_mutex_unlock(&other);
#endif
  }
  pthread_mutex_unlock(&lock);
  return unused;
}

/* 1 if it succeeds. */
static int look(void) {
#ifdef POSTS
  return sem_trywait(&permits) == 0;
#elif defined SEEN
  if (pthread_mutex_trylock(&other))
    return 0;
  pthread_mutex_unlock(&other);
  return 1;
#else
  pthread_mutex_lock(&other);
  pthread_mutex_unlock(&other);
  return 1;
#endif
}

int main(void) {
  pthread_t t;
  sem_init(&permits, 0, 0);
  pthread_mutex_lock(&lock);
  pthread_create(&t, NULL, tries, NULL);
  int seen = 0;
  for (int i = 0; i < 3; i++)
    seen += look();
  tidemark_outcome("%d", seen);
  pthread_mutex_unlock(&lock);
  pthread_join(t, NULL);
}
