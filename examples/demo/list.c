/* A linked list in persistent memory, with one flush too few. */
#include <immintrin.h>
#include <tidemark.h>

struct node {
  long key, value;
  struct node *next;
};

struct list {
  struct node *head;
  _Alignas(64) struct node nodes[8]; /* not on the cache line of head */
};

static void persist(void *p) {
  _mm_clflush(p);
  _mm_sfence();
}

static void insert(struct list *l, struct node *n, long key) {
  n->key = key;
  n->value = 10 * key;
  n->next = l->head;
  l->head = n; /* the node is not flushed yet */
  persist(&l->head);
}

static void check(const struct list *l) {
  for (struct node *n = l->head; n; n = n->next)
    tidemark_assert(n->value == 10 * n->key);
}

int main(void) {
  struct list *l = tidemark_region("list", sizeof *l);
  if (tidemark_failures() == 0)
    insert(l, &l->nodes[0], 7);
  check(l);
}
