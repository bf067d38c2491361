// Objects with fields, references and methods, monitors by reference: what tests in Java have.
// CHECK sc --unroll=4: verified
// CHECK rc11 --unroll=4: verified
// CHECK sc --unroll=4 -DNOT_SYNCHRONIZED: violated 39
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
struct list { pthread_mutex_t monitor; struct item *head; int length; };
struct item { struct item *next; int value; };
static struct list *shared;
static void list_lock(struct list *l) {
#ifndef NOT_SYNCHRONIZED
  pthread_mutex_lock(&l->monitor);
#else
  (void)l;
#endif
}
static void list_unlock(struct list *l) {
#ifndef NOT_SYNCHRONIZED
  pthread_mutex_unlock(&l->monitor);
#else
  (void)l;
#endif
}
static void list_add(struct list *l, int value) {
  struct item *i = malloc(sizeof *i);
  i->value = value;
  list_lock(l);
  i->next = l->head;
  l->head = i;
  l->length++;
  list_unlock(l);
}
void init(void) { shared = calloc(1, sizeof *shared); list_add(shared, 1); }
void thread0(void) { list_add(shared, 2); }
void thread1(void) { list_add(shared, 3); }
static int sum(const struct item *i) { return i ? i->value + sum(i->next) : 0; }
void final(void) {
  assert(shared->length == 3 && sum(shared->head) == 6);
}
