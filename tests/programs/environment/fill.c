// --fill=garbage: what was never initialised, and zeros that were not flushed, show.
// RUN: %tidemark_cc -g %s -o %t
// RUN: for w in fresh alloc heap zeros nodes; do %tidemark check %t $w || exit 1; done
// RUN: for w in fresh alloc heap zeros nodes flushed; do %tidemark check --fill=zero --json=%t.zero.json %t $w || exit 1; done
// RUN: for w in fresh alloc heap; do %tidemark check --fill=garbage --keep-going --json=%t.json %t $w; test $? = 1 || exit 1; %FileCheck --check-prefix=FRESH %s < %t.json || exit 1; done
// RUN: for o in --no-share --isolate; do %tidemark check --fill=garbage $o --json=%t.json %t zeros; test $? = 1 || exit 1; %FileCheck --check-prefix=ZEROS %s < %t.json || exit 1; done
// RUN: for o in --no-share --isolate; do %tidemark check --fill=garbage $o --json=%t.json %t nodes; test $? = 1 || exit 1; %FileCheck --check-prefix=NODES %s < %t.json || exit 1; done
// RUN: %tidemark check --fill=garbage %t flushed && %tidemark check --isolate --fill=garbage %t flushed
// RUN: %tidemark check --model=cxl --json=%t.json %t machines && ! %tidemark check --model=cxl --fill=garbage --json=%t.json %t machines
// RUN: %FileCheck --check-prefix=ZEROS %s < %t.json
// RUN: ! %tidemark check --fill=garbage --json=%t.json %t zeros; ! %tidemark replay %t.json
// RUN: ! %tidemark check --model=sc --fill=garbage %t fresh 2>&1 | %FileCheck --check-prefix=SC %s
// FRESH: "message": "never initialised"
// ZEROS: "complete": true
// ZEROS: "message": "p[0] == 0"
// ZEROS: "older
// NODES: "message": "node->next == 0"
// SC: --fill
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <tidemark.h>

struct node {
  uint64_t key;
  uint64_t padding[7];
  struct node *next;
};

static int is(const char *a, const char *b) {
  return strcmp(a, b) == 0;
}

static void fresh(int zero) {
  if (!zero)
    tidemark_assert_failed("never initialised", __FILE__, __LINE__, __func__);
}

static void persist(void *p) {
  __builtin_ia32_clflush(p);
  __builtin_ia32_sfence();
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  uint64_t *p = tidemark_region("r", 3 << 20), *root = tidemark_region("root", 64);
  struct node **first = (struct node **)root;
  if (is(what, "fresh"))
    fresh(p[0] == 0 && p[300000] == 0 && ((char *)p)[4097] == 0);
  if (is(what, "alloc"))
    fresh(*(int *)tidemark_alloc(100) == 0);
  if (is(what, "heap"))
    fresh(*(volatile int *)malloc(100) == 0);
  if (is(what, "machines") && tidemark_machine() == 1) {
    if (tidemark_machine_failed(0) && root[0] == 1)
      tidemark_assert(p[0] == 0);
    return 0;
  }
  if (!tidemark_failures()) {
    root[0] = 0;
    persist(root);
    p[0] = 0;
    if (is(what, "flushed"))
      persist(p);
    if (is(what, "nodes")) {
      struct node *node = tidemark_alloc(sizeof *node);
      node->key = 1;
      node->next = NULL;
      persist(node);
      *first = node;
      persist(root);
      return 0;
    }
    root[0] = 1;
    persist(root);
  } else if (is(what, "nodes")) {
    struct node *node = *first;
    if (node && node != (void *)root[1] && (uintptr_t)node >> 40 == 0x10) {
      tidemark_assert(node->key == 1);
      tidemark_assert(node->next == 0);
    }
  } else if (root[0] == 1) {
    tidemark_assert(p[0] == 0);
  }
  return 0;
}
