// --fix where one line has several stores, one assignment stores piece by piece, or a class says what a member begins with.
// RUN: rm -rf %t && mkdir %t && %tidemark_cxx -g -O1 -mclwb %s -o %t/prog
// RUN: ! %tidemark check --analyses=robustness --json=%t/report.json --fix=%t/fix.diff --verify-fix %t/prog > %t/said.txt 2>&1
// RUN: %FileCheck %s < %t/said.txt
// RUN: %FileCheck --check-prefix=DIFF %s < %t/fix.diff
// RUN: %FileCheck --check-prefix=JSON %s < %t/report.json
// CHECK: robustness
// CHECK: = where: flush and fence after {{.*}}one_line.cc:[[#LINE:]]:8 and
// CHECK-NEXT: = and, of another store of this line: flush and fence after {{.*}}one_line.cc:[[#LINE]]:18 and
// CHECK: no change for {{.*}}one_line.cc:{{.*}}: it is the default of a member
// CHECK: --verify-fix: 3 of 3 findings are fixed, 0 still there, 0 new; findings left: 1
// JSON: "fix_further": [
// JSON: "flush": true
#include <immintrin.h>
#include <initializer_list>
#include <new>
#include <tidemark.h>

struct wide {
  long first;
  alignas(64) long second;
};

struct item {
  explicit item(long x) { first = x; _mm_clwb(&first); _mm_sfence(); }
  alignas(64) long first;
  // The end of a comment; { of it does not matter.
  alignas(64) long second = 7;
};

struct root {
  alignas(64) long a;
  alignas(64) long b;
  alignas(64) long flag;
  wide w;
  wide x;
  alignas(64) char place[sizeof(item)];
  alignas(64) long done;
};

static wide make(long x) { return {x, x + 1}; }

static void work(root *r) {
  r->a = 1, r->b = 2;
  // DIFF: +  r->a = 1, _mm_clwb((void *)&r->a), _mm_sfence(), r->b = 2, _mm_clwb((void *)&r->b), _mm_sfence();
  r->w = (wide){.first = 3, .second = 4};
  // DIFF: +  for (unsigned long line_ = (unsigned long)(&r->w) & -64ul;
  // DIFF-NEXT: +       line_ < (unsigned long)(&r->w) + (sizeof(r->w)); line_ += 64)
  r->x = make(5);
  // DIFF: +       line_ < (unsigned long)(&r->x) + (sizeof(r->x)); line_ += 64)
  new (r->place) item(5);
  r->done = 1;
}

int main() {
  auto *r = static_cast<root *>(tidemark_region("root", sizeof(root)));
  if (!tidemark_failures()) {
    work(r);
    return 0;
  }
  if (!r->done)
    return 0;
  long s = 0;
  for (long *p : {&r->a, &r->b, &r->w.first, &r->w.second, &r->x.second, &reinterpret_cast<item *>(r->place)->second}) {
    if (!*p)
      return 0;
    s += *p;
  }
  tidemark_outcome("%ld", s);
}
