// What program order hides from a read, and what it does not.
//
// CHECK rc11 -DLISTS: verified
// CHECK rc11 -DLISTS -DWRONG: violated 64
// CHECK aarch64 -DLISTS: verified
// CHECK rc11 -DPERHAPS: violated 74
// CHECK sc -DOTHERS: violated 83
// CHECK rc11 -DAFTER: violated 91
// CHECK rc11 -DBEFORE: verified
// CHECK lkmm -DBEFORE: verified
// CHECK coherence -DBEFORE: violated 101
// CHECK ../models/no-coherence.cat -DBEFORE: violated 101
// CHECK rc11 -DTWICE: violated 110
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x, y;

#ifdef LISTS /* whose list a thread takes a node from is what it has written itself */
struct node {
  int data;
  _Atomic(struct node *) next;
};
static struct node lists[33][32];
static unsigned taken[33];
static int ids[33] = {0, 1, 2, 3};
static _Thread_local int id;
static _Atomic(struct node *) top;

static struct node *new_node(void) {
  int me = id;
  assert(taken[me] < 32);
  return &lists[me][taken[me]++];
}

static void push(int data) {
  struct node *n = new_node();
  n->data = data;
  struct node *old = atomic_load_explicit(&top, memory_order_relaxed);
  do
    atomic_store_explicit(&n->next, old, memory_order_relaxed);
  while (!atomic_compare_exchange_strong_explicit(&top, &old, n, memory_order_release, memory_order_relaxed));
}

static void *run(void *arg) {
  id = *(int *)arg;
  push(id);
  struct node *n = atomic_load_explicit(&top, memory_order_acquire);
  if (n->data != id)
    atomic_store(&x, 1);
  return 0;
}

int main(void) {
  pthread_t t[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&t[i], 0, run, &ids[i + 1]);
  for (int i = 0; i < 2; i++)
    pthread_join(t[i], 0);
  struct node *n = atomic_load(&top), *next = atomic_load(&n->next);
  assert(n->data + next->data == 3 && !atomic_load(&next->next));
#ifdef WRONG
  assert(!atomic_load(&x));
#endif
}

#elif defined PERHAPS /* the write is not on every way to the read */
void thread0(void) { atomic_store(&y, 1); }
void thread1(void) {
  atomic_store(&x, 1);
  if (atomic_load(&y))
    atomic_store(&x, 2);
  assert(atomic_load(&x) == 2);
}

#elif defined OTHERS /* nobody else's writes are hidden */
void thread0(void) { atomic_store(&x, 2); }
void thread1(void) {
  atomic_store(&x, 1);
  int r = atomic_load(&x);
  atomic_store(&y, r);
  assert(r != 2);
}

#elif defined AFTER /* nor are the creator's behind the creation */
static void *run(void *arg) {
  int r = atomic_load_explicit(&x, memory_order_relaxed);
  if (r == 2)
    atomic_store(&y, 1);
  assert(r != 2);
  return arg;
}
#elif defined BEFORE
static void *other(void *arg) { return arg; }
static void *run(void *arg) {
  atomic_store_explicit(&y, 3, memory_order_relaxed);
  int r = atomic_load_explicit(&x, memory_order_relaxed);
  atomic_thread_fence(memory_order_seq_cst);
  int s = atomic_load_explicit(&y, memory_order_relaxed);
  assert(r == 1 && s == 3);
  return arg;
}

#else /* each turn of a loop has its own write */
void thread0(void) {
  for (int i = 0; i < 3; i++) {
    int r = atomic_load(&x);
    atomic_store(&x, i + 1);
    assert(r != 2);
  }
}
void thread1(void) { atomic_store(&y, 1); }
#endif

#if defined AFTER || defined BEFORE
int main(void) {
  pthread_t t;
#ifdef BEFORE
  pthread_create(&t, 0, other, 0);
#endif
  atomic_store_explicit(&y, 2, memory_order_relaxed);
  atomic_store_explicit(&x, 1, memory_order_relaxed);
  pthread_create(&t, 0, run, 0);
#ifdef AFTER
  atomic_store_explicit(&x, 2, memory_order_relaxed);
#endif
}
#endif
