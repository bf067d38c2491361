/* items N: a slab of N items that were put on a free list, of which nothing was flushed.  The recovery goes over all of them
 * three times, as a cache's does: it resets a field of those of one kind, which is zero anyway, looks whether one is
 * in use, and puts them on a new list.  A bug lies behind it: 3 * 3^N + 1 executions, 3^N of which fail.
 *
 * A search that follows each of them does not come to an end.  Executions become the same if it notices that
 * what was stored is what was there (pass 1), that an item that was read before has one answer only for those who read
 * it (pass 2), and that all have stored the same (pass 3). */
#include <immintrin.h>
#include <stdlib.h>
#include <tidemark.h>

#define ITEMS_MAX 16384

enum { USED = 1, FREE = 4, KIND = 64 };

struct item {
  _Alignas(64) long flags;
  long head;
  long next; /* number of an item */
};

struct root {
  struct item item[ITEMS_MAX];
  _Alignas(64) long a;
  _Alignas(64) long b;
};

static void persist(const long *p) {
  _mm_clflush(p);
  _mm_sfence();
}

static void put_on_list(struct item *it, long *list, long number) {
  it->flags = FREE;
  it->flags |= KIND;
  it->next = *list;
  *list = number;
}

static long recover(struct root *r, int n) {
  long used = 0, list = 0;
  for (int i = 0; i < n; i++)
    if (r->item[i].flags & KIND)
      r->item[i].head = 0;
  for (int i = 0; i < n; i++)
    used |= r->item[i].flags & USED;
  for (int i = 0; i < n; i++)
    if (!(r->item[i].flags & USED) && !r->item[i].head)
      put_on_list(&r->item[i], &list, i);
  tidemark_assert(!r->b || r->a);
  return used;
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 64;
  struct root *r = tidemark_region("root", sizeof *r);
  long list = 0;
  if (!r || n < 1 || n > ITEMS_MAX)
    return 2;
  if (tidemark_failures())
    return (int)recover(r, n);
  for (int i = 0; i < n; i++)
    put_on_list(&r->item[i], &list, i);
  r->a = 1; /* never flushed */
  r->b = 1;
  persist(&r->b);
  return 0;
}
