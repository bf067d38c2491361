// --fix beside what only looks like quotes, brackets and statements: numbers with marks, raw strings, attributes, macros
// that begin a statement, and comments that go on in the next line.
// RUN: %tidemark_cxx -g -O1 -mclwb -std=c++20 %s -o %t
// RUN: ! %tidemark check --quiet --analyses=robustness --fix=%t.diff --verify-fix %t 2> %t.said
// RUN: %FileCheck %s --input-file=%t.said
// RUN: %FileCheck --check-prefix=DIFF %s --input-file=%t.diff
// RUN: ! %tidemark check --quiet --analyses=robustness --max-executions=5 --fix=%t.diff --verify-fix %t 2> %t.said
// RUN: grep -q "changed program is incomplete" %t.said
// CHECK-NOT: no change
// CHECK: 9 of 9 findings are fixed, 0 still there, 0 new; findings left: 0
#include <cstdint>
#include <immintrin.h>
#include <tidemark.h>

struct cell {
  alignas(64) uint64_t first;
  alignas(64) uint64_t v;
};

struct all {
  cell c[9];
  alignas(64) uint64_t done;
};

#define SET_MEMBER(p, m, x) ((p)->m = (x))
#define TIMES(i, n) for (int i = 0; i < (n); i++)
#define WHEN(x) if (x)

static const char *raw = R"name(a " and a { and
  a ' here)name";
static int same(int x) { return x; }

static void work(all *a, int n) {
  int i = same(1'000); a->c[0].v = 1;
  // DIFF: +  _mm_clwb((void *)&a->c[0].v);
  const char *s = R"({"a": ')"; a->c[1].v = 2;
  char c = u8'8', d = '\''; a->c[2].v = i + (s && raw) + (c == d);
  if (n) [[likely]] a->c[3].v = 3;
  // DIFF: + {{.*}}likely]] { a->c[3].v = 3; _mm_clwb((void *)&a->c[3].v); _mm_sfence(); }
  TIMES(k, 1)
    a->c[4].v = 4;
  // DIFF: +    { a->c[4].v = 4; _mm_clwb((void *)&a->c[4].v); _mm_sfence(); }
  WHEN(n)
    a->c[5].v = 5;
  else
    a->c[5].v = 6;
  SET_MEMBER(&a->c[6], v, 700);
  // DIFF: +  _mm_clwb((void *)&(&a->c[6])->v);
  a->c[7].v = 7; // it goes on \
  in the next line
  // DIFF: +  a->c[7].v = 7; _mm_clwb((void *)&a->c[7].v); _mm_sfence(); // it goes on
  a->c[8].v = 0x1'ffu;
  a->done = 1;
}

int main() {
  all *a = static_cast<all *>(tidemark_region("all", sizeof *a));
  if (!tidemark_failures()) {
    work(a, 1);
    return 0;
  }
  uint64_t s = a->done;
  for (int i = 0; i < 9 && s; i++)
    s = a->c[i].v;
  return s == 1234567;
}
