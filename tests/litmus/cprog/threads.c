// CHECK sc: verified
// CHECK rc11: verified
// CHECK aarch64: verified
// CHECK sc -DWRONG: violated 34
// CHECK rc11 -DNO_JOIN: violated
#include <assert.h>
#include <pthread.h>
#include <threads.h>
static _Thread_local int mine = 5;
static int before, inside, results[3];
static int c11(void *arg) { mine += *(int *)arg; return mine; }
static void *inner(void *arg) { inside += (int)(long)arg; return NULL; }
static void *outer(void *arg) {
  pthread_t t;
  int i = (int)(long)arg;
  mine = i;
  assert(before == 7);
  if (i == 1) {
    inside = 1;
    pthread_create(&t, NULL, inner, (void *)4);
    pthread_join(t, NULL);
    assert(inside == 5);
  }
  results[i] = mine;
  return (void *)(long)(i + 10);
}
int main(void) {
  pthread_t t[3];
  thrd_t u;
  void *r;
  int sum = 0, ten = 10, result = 0;
  before = 7;
#ifdef WRONG
  mine = 6; assert(mine == 5);
#endif
  for (long i = 0; i < 3; i++)
    pthread_create(&t[i], NULL, outer, (void *)i);
#ifdef NO_JOIN
  results[0] = 1;
#endif
  for (int i = 0; i < 3; i++) {
    pthread_join(t[i], &r);
    sum += (int)(long)r;
  }
  assert(sum == 33 && results[2] == 2 && mine == 5);
  thrd_create(&u, c11, &ten);
  thrd_join(u, &result);
  assert(result == 15 && mine == 5);
  return 0;
}
