// CHECK sc: verified
// CHECK rc11: verified
// CHECK rc11 -DWRONG: violated 26
#include <assert.h>
#include <stdatomic.h>
#include <stddef.h>
#ifdef WRONG
#define EXPECTED 8
#else
#define EXPECTED 7
#endif
struct list { struct list *next; };
struct item { int a; int value; struct list link; };
#define old_offset(type, member) ((size_t) & ((type *)0)->member)
#define container_of(p, type, member) ((type *)((char *)(p)-old_offset(type, member)))
static struct item one = {1, 7, {0}};
static struct list *const first = &one.link;
static _Atomic(struct list *) head;
static long distance = (char *)&one.value - (char *)&one;
void thread0(void) {
  atomic_store_explicit(&head, &one.link, memory_order_release);
}
void thread1(void) {
  struct list *l = atomic_load_explicit(&head, memory_order_acquire);
  if (l)
    assert(container_of(l, struct item, link)->value == EXPECTED);
  assert(container_of(first, struct item, link) == &one);
  assert(container_of(&one.link, struct item, link)->a == 1);
  assert(distance == 4);
  assert(old_offset(struct item, link) == 8);
}
