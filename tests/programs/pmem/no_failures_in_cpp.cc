// --no-failures-in takes names of C++ functions as reports write them, or the end of them: what a failure in prepare
// leaves is a mistake, and everything else is right.
//
// RUN: %tidemark_cxx %s -o %t
// RUN: %tidemark check %t > %t.txt 2>&1; test $? = 1
// RUN: %FileCheck --check-prefix=FOUND %s < %t.txt
// FOUND: in store::table<long, int>::prepare
//
// RUN: %tidemark check --no-failures-in='store::table<long, int>::prepare' %t 2>&1 | %FileCheck --check-prefix=SPARED %s
// RUN: %tidemark check --no-failures-in='nothing,table::prep*' %t 2>&1 | %FileCheck --check-prefixes=OTHER,SPARED %s
// SPARED: no findings; the search is complete
// OTHER: note: --no-failures-in: no function of the program or of its libraries fits 'nothing'
// SPARED: note: failures while {{.*prep.*}} is executed were left out (--no-failures-in)
//
// RUN: %tidemark check --no-failures-in=able::prepare %t > %t.txt 2>&1; test $? = 1
// RUN: %FileCheck --check-prefix=NONE %s < %t.txt
// NONE: note: --no-failures-in: no function of the program or of its libraries fits 'able::prepare'
#include <immintrin.h>
#include <tidemark.h>

namespace store {
template <typename T, typename U> struct table {
  alignas(64) T both;
  alignas(64) T halves;
  void prepare(U value);
};

template <typename T, typename U> __attribute__((noinline)) void table<T, U>::prepare(U value) {
  both = value;
  _mm_clflush(&both);
  halves = value;
  _mm_clflush(&halves);
}
} // namespace store

int main() {
  auto *t = static_cast<store::table<long, int> *>(tidemark_region("table", sizeof(store::table<long, int>)));
  if (tidemark_failures() > 0) {
    tidemark_assert(t->both == t->halves);
    return 0;
  }
  t->prepare(1);
}
