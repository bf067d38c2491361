// --fix where a macro stores: behind its call, if the file says what it stores to, and evaluating it again changes nothing.
// RUN: rm -rf %t && mkdir %t && %tidemark_cc -g -O1 -mclwb %s -o %t/prog
// RUN: ! %tidemark check --quiet --analyses=robustness --fix=%t/fix.diff --verify-fix %t/prog 2> %t/said.txt
// RUN: %FileCheck %s < %t/said.txt
// RUN: %FileCheck --check-prefix=DIFF %s < %t/fix.diff
#include <immintrin.h>
#include <tidemark.h>

struct cell {
  _Alignas(64) long key;
};

struct root {
  struct cell c[8];
  _Alignas(64) long done;
};

#define KEY(p, k)   \
  do {              \
    (p)->key = (k); \
  } while (0)
#define TWO(p, x, y) ((p)[0].key = (x), (p)[1].key = (y))
#define AT(p) *(p) = 3
#define CHECKED(p, k) (k) == 0 ? 0 : ((p)->key = (k))
#define LOCAL(p, k)      \
  do {                   \
    struct cell *q_ = p; \
    q_->key = k;         \
  } while (0)

static void work(struct root *r) {
  struct cell *p = r->c;
  KEY(p, 1);
  // DIFF: +  _mm_clwb((void *)&(p)->key);
  KEY(p + 1, 2);
  // DIFF: +  _mm_clwb((void *)&(p + 1)->key);
  AT(&p[2].key);
  // DIFF: +  _mm_clwb((void *)&p[2].key);
  CHECKED(p + 3, 4);
  // DIFF: +  _mm_clwb((void *)&(p + 3)->key);
  TWO(p + 4, 5, 6);
  // CHECK-DAG: no change for {{.*}}macros.c:[[@LINE-1]]:{{.*}} in a macro
  LOCAL(&p[6], 7);
  p += 7;
  KEY(p++, 8);
  // CHECK-DAG: no change for {{.*}}macros.c:[[@LINE-1]]:{{.*}} evaluated twice
  r->done = 1;
}
// CHECK: --verify-fix: 5 of 5 findings are fixed, 0 still there, 0 new; findings left: 2

int main(void) {
  struct root *r = tidemark_region("root", sizeof *r);
  if (!tidemark_failures()) {
    work(r);
    return 0;
  }
  if (!r->done)
    return 0;
  for (int i = 0; i < 8; i++)
    if (!r->c[i].key)
      return 0;
  tidemark_outcome("all");
  return 0;
}
