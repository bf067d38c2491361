// A list in a file with pointers in it, which is always mapped at the same address: a wish, and
// MAP_FIXED.  Another file lies beside it; the program's own memory is as it always is.
// OPTIONS: --pm-path=/nowhere/pm*
// OUTCOMES: empty; log 0 list 7; log 1 list 7
// COUNTS: 16 executions, 8 runs, 9 failure points
#include "../pm.h"
#include <assert.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define LIST ((void *)0x7fdd40000000)
#define LOG ((void *)0x7fde80000000)

struct node {
  struct node *next;
  long key;
};

struct list {
  struct node *head;
  _Alignas(64) struct node nodes[2];
};

static void *map(const char *path, void *at, int flags) {
  int file = open(path, O_RDWR | O_CREAT, 0600);
  assert(file >= 0);
  assert(pwrite(file, "", 1, 8191) == 1); /* it has a region before it is mapped */
  void *p = mmap(at, 8192, PROT_READ | PROT_WRITE, MAP_SHARED | flags, file, 0);
  assert(p == at);
  close(file);
  return p;
}

int main(void) {
  struct list *list = map("/nowhere/pm0/list", LIST, 0);
  long *log = map("/nowhere/pm0/log", LOG, MAP_FIXED);
  static long seen[8]; /* not watched, although every access asks */
  if (tidemark_failures()) {
    if (!list->head) {
      tidemark_outcome("empty");
      return 0;
    }
    memcpy(seen, list->head, sizeof *list->head);
    tidemark_assert(seen[1] == 7 && list->head == &list->nodes[1]);
    tidemark_outcome("log %ld list %ld", *log, list->head->key);
    return 0;
  }
  struct node *n = &list->nodes[1];
  n->key = 7;
  clwb(n);
  _mm_sfence();
  list->head = n;
  clwb(&list->head);
  _mm_sfence();
  *log = 1;
  return 0;
}
