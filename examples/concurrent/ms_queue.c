/* The queue of Michael and Scott, without giving nodes back.
 *
 *     head -> [ dummy ] -> [ 1 ] -> [ 2 ] -> NULL
 *                                     ^
 *                            tail ----+  or one before it, then anybody moves it on */
#include "threads.h"
#include <stddef.h>

#define THREADS 2

struct node {
  struct node *_Atomic next;
  int value;
};

static struct node dummy, nodes[THREADS];
static struct node *_Atomic head = &dummy, *_Atomic tail = &dummy;
static int got[THREADS];

/* Appends new to the last node, unless that one is not the last any more. */
static bool append(struct node *end, struct node *new) {
  struct node *none = NULL;
#ifdef BUG_TWO_STEPS
  if (load(&end->next))
    return false;
  (void)none;
  store(&end->next, new); /* BUG_TWO_STEPS: drops a node that was appended meanwhile */
  return true;
#else
  return atomic_compare_exchange_strong(&end->next, &none, new);
#endif
}

static void enqueue(struct node *new) {
  struct node *end;
  for (;;) {
    end = load(&tail);
    struct node *next = load(&end->next);
    if (next)
      atomic_compare_exchange_strong(&tail, &end, next);
    else if (append(end, new))
      break;
  }
  atomic_compare_exchange_strong(&tail, &end, new);
}

static bool dequeue(int *value) {
  for (;;) {
    struct node *first = load(&head), *end = load(&tail), *next = load(&first->next);
    if (first == end) {
      if (!next)
        return false;
      atomic_compare_exchange_strong(&tail, &end, next);
    } else {
      *value = next->value;
      if (atomic_compare_exchange_strong(&head, &first, next))
        return true;
    }
  }
}

static void *work(void *number) {
  int me = (int)(intptr_t)number;
  nodes[me].value = me + 1;
  enqueue(&nodes[me]);
  bool found = dequeue(&got[me]);
  assert(found);
  return NULL;
}

int main(void) {
  run_threads(THREADS, work);
  assert(got[0] + got[1] == 3);
}
