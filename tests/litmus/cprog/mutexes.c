// CHECK sc: verified
// CHECK x86tso: verified
// CHECK rc11: verified
// CHECK aarch64: verified
// CHECK rc11 -DUNLOCKED: violated
// CHECK sc -DUNLOCKED: violated 38
// CHECK rc11 -DC11: verified
// CHECK rc11 -DTRY: verified
// CHECK sc -DCROSSED: verified
// HANG sc -DCROSSED
#include <assert.h>
#include <pthread.h>
#include <threads.h>
struct account { pthread_mutex_t lock; mtx_t lock11; int money; };
static struct account a = {.money = 5}, b = {.money = 5};
static void lock(struct account *x) {
#ifdef C11
  mtx_lock(&x->lock11);
#elif defined TRY
  while (pthread_mutex_trylock(&x->lock)) {
  }
#elif !defined UNLOCKED
  pthread_mutex_lock(&x->lock);
#endif
}
static void unlock(struct account *x) {
#ifdef C11
  mtx_unlock(&x->lock11);
#elif !defined UNLOCKED
  pthread_mutex_unlock(&x->lock);
#endif
}
static void move(struct account *from, struct account *to, int n) {
  lock(from); lock(to);
  from->money -= n; to->money += n; unlock(to);
  unlock(from);
}
void final(void) { assert(a.money == 4 && b.money == 6); }
void thread0(void) { move(&a, &b, 2); }
#ifdef CROSSED
void thread1(void) { move(&b, &a, 1); }
#else
void thread1(void) { move(&a, &b, -1); }
#endif
