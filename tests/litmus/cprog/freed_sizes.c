// Accesses of several sizes whose addresses are one expression, as those of free and of the first field.
// CHECK sc: verified
// CHECK rc11: verified
// CHECK aarch64: verified
// CHECK sc -DWRONG: violated 50
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct data {
  long key;
  char label;
};
struct node {
  struct data *data;
  struct node *_Atomic next;
};
static struct node first, *head = &first, *tail = &first;
static pthread_mutex_t at_head, at_tail;

static void enqueue(long key) {
  struct data *d = malloc(sizeof *d);
  d->key = key;
  d->label = 'x';
  struct node *n = malloc(sizeof *n);
  pthread_mutex_lock(&at_tail);
  n->data = d;
  atomic_store_explicit(&n->next, NULL, memory_order_relaxed);
  atomic_store_explicit(&tail->next, n, memory_order_release);
  tail = n;
  pthread_mutex_unlock(&at_tail);
}

static struct data *dequeue(void) {
  struct data *d = NULL;
  pthread_mutex_lock(&at_head);
  struct node *h = head, *n = atomic_load_explicit(&h->next, memory_order_acquire);
  if (n) {
    d = n->data;
    head = n;
    if (h != &first) free(h);
  }
  pthread_mutex_unlock(&at_head);
  return d;
}

static void check(struct data *d) {
#ifdef WRONG
  assert(d->key != 2);
#else
  assert(d->key == 1 || d->key == 2);
#endif
}

void thread0(void) {
  enqueue(1);
  enqueue(2);
  struct data *d = dequeue();
  check(d);
  free(d);
}

void thread1(void) {
  struct data *d = dequeue();
  if (!d) return;
  check(d);
  free(d);
}
