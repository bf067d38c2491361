// --fix in constructors: what initialisers store to one cache line is flushed once, a base class has no name to be flushed by,
// and an ordinary finding that asks for the same flush gets it.
// RUN: rm -rf %t && mkdir %t && %tidemark_cxx -g -O0 -mclwb %s -o %t/prog
// RUN: ! %tidemark check --analyses=robustness,flushes --fix=%t/fix.diff --verify-fix %t/prog > %t/said.txt 2>&1
// RUN: %FileCheck %s < %t/said.txt
// RUN: %FileCheck --check-prefix=DIFF %s < %t/fix.diff
// CHECK: error[assertion]
// CHECK-NOT: no change
// CHECK: --verify-fix: 4 of 4 findings are fixed, 0 still there, 0 new; findings left: 0
#include <new>
#include <tidemark.h>

static void persist(const void *p) {
  __builtin_ia32_clwb(p);
  __builtin_ia32_sfence();
}

struct table {
  alignas(64) long size;
  long mask;
  alignas(64) long *slots;

  explicit table(long n) : size{n}, mask{n - 1}, slots{&size} {}
  // DIFF: +  explicit table(long n)
  // DIFF-SAME: { _mm_clwb((void *)&this->slots); _mm_sfence();
  // DIFF-SAME: = (unsigned long)(&this->size) & -64ul;
  // DIFF-SAME: + ((char *)(&this->mask + 1) - (char *)&this->size); line_ += 64) _mm_clwb((void *)line_); _mm_sfence(); }
};

struct counted {
  long count, limit;
};

struct list : counted {
  long first;

  list() : counted{}, first{7} {
    // DIFF: +    for (unsigned long line_ = (unsigned long)(this) & -64ul;
    // DIFF-NEXT: +         line_ < (unsigned long)(this) + (sizeof *this); line_ += 64)
    // DIFF-NEXT: +      _mm_clwb((void *)line_);
    // DIFF-NEXT: +    _mm_sfence();
  }
};

struct root {
  alignas(64) table t;
  alignas(64) list l;
  alignas(64) long done;
};

int main() {
  auto *r = static_cast<root *>(tidemark_region("root", sizeof(root)));
  if (!tidemark_failures()) {
    r->l.count = r->l.limit = 3;
    persist(&r->l);
    new (&r->t) table(8);
    new (&r->l) list;
    r->done = 1;
    persist(&r->done);
    return 0;
  }
  if (!r->done)
    return 0;
  tidemark_assert(r->t.size && r->t.mask);
  tidemark_outcome("%d %ld %ld %ld", r->t.slots != nullptr, r->l.count, r->l.limit, r->l.first);
}
