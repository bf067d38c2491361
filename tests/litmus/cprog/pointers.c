// CHECK sc: verified
// CHECK rc11: verified
// CHECK x86tso: verified
// CHECK sc -DWRONG: violated 36
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
struct pair { char tag; short half; int *where; struct { int x, y[3]; } in; };
union word { int whole; unsigned char byte[4]; };
static int numbers[4] = {10, 20, 30, 40};
static struct pair table[2] = {{.tag = 'a', .where = &numbers[1]}, {.half = -7, .in = {1, {2, 3, 4}}}};
static int twice(int n) { return 2 * n; }
static int thrice(int n) { return 3 * n; }
static int (*const operations[2])(int) = {twice, thrice};
static void swap(int **a, int **b) { int *t = *a; *a = *b; *b = t; }
static int depth(int n) { return n ? 1 + depth(n - 1) : 0; }
static void *run(void *arg) {
  struct pair *p = arg, copy;
  int *l = &numbers[0], *r = p->where;
  swap(&l, &r);
  assert(l == &numbers[1] && *r == 10 && l - r == 1 && *(l + 1) == 30);
  copy = p[1];
  copy.in.y[1] += copy.half;
  assert(copy.in.y[1] == -4 && p[1].in.y[1] == 3 && copy.in.y[2] == 4);
  for (int i = 0; i < 3; i++)
    p->in.y[i] = operations[i & 1](numbers[i]);
  assert(p->in.y[0] == 20 && p->in.y[1] == 60 && p->in.y[2] == 60);
  union word *w = malloc(2 * sizeof *w);
  memset(w, 0, 2 * sizeof *w);
  w[1].whole = 0x01020304;
  assert(w[1].byte[0] == 4 && w[1].byte[3] == 1 && w[0].whole == 0);
  memcpy(&w[0], &w[1], sizeof *w);
  w[0].byte[1] = 0xff;
#ifdef WRONG
  assert(w[0].whole == 0x01020304);
#endif
  assert(w[0].whole == 0x0102ff04 && depth(2) == 2);
  struct pair **list = calloc(3, sizeof *list);
  list[numbers[0] / 10] = p;
  assert(!list[0] && list[1]->tag == 'a' && !list[2]);
  free(list);
  return &table[1];
}
int main(void) {
  pthread_t t;
  void *result;
  pthread_create(&t, NULL, run, table);
  pthread_join(t, &result);
  assert(((struct pair *)result)->half == -7 && table[0].in.y[1] == 60);
  return 0;
}
