// pthread_once; keys and the order of their destructors.
// RUN: %tidemark_cc %s -o %t && %t && %tidemark check %t
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key, second;
static int initialised, destroyed, destroyed_again;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void destroy(void *value) {
  pthread_mutex_lock(&mutex);
  destroyed += *(int *)value;
  pthread_mutex_unlock(&mutex);
  free(value);
  pthread_setspecific(second, &key);
}

static void destroy_second(void *value) {
  assert(value == &key && pthread_getspecific(second) == NULL);
  pthread_mutex_lock(&mutex);
  destroyed_again++;
  pthread_mutex_unlock(&mutex);
}

static void initialise(void) {
  initialised++;
  sched_yield();
  assert(pthread_key_create(&key, destroy) == 0);
  assert(pthread_key_create(&second, destroy_second) == 0);
}

static void *work(void *number) {
  assert(pthread_once(&once, initialise) == 0);
  assert(pthread_getspecific(key) == NULL);
  int *value = malloc(sizeof *value);
  *value = (int)(long)number;
  assert(pthread_setspecific(key, value) == 0);
  sched_yield();
  assert(pthread_getspecific(key) == value && *value == (int)(long)number);
  return NULL;
}

int main(void) {
  pthread_t t[4];
  for (long i = 0; i < 4; i++)
    pthread_create(&t[i], NULL, work, (void *)(i + 1));
  for (int i = 0; i < 4; i++)
    pthread_join(t[i], NULL);
  assert(initialised == 1 && destroyed == 1 + 2 + 3 + 4 && destroyed_again == 4);
  assert(pthread_getspecific(key) == NULL);
  assert(pthread_key_delete(key) == 0 && pthread_key_delete(key) == EINVAL);
  assert(pthread_setspecific(key, &t) == EINVAL);
  return 0;
}
