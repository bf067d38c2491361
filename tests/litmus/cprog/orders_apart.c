// Two writes of a thread to one place are in its order; to two places, in any, whoever else writes to either.
// CHECK sc: verified
// CHECK rc11: violated
// CHECK aarch64: violated
// CHECK x86tso: verified
// CHECK rc11 -DTWICE: verified
// CHECK aarch64 -DTWICE: verified
#include <assert.h>
#include <stdatomic.h>
int tidemark_choose(int n);
static atomic_int x, y, either[2];
#define W(p, v) atomic_store_explicit(p, v, memory_order_relaxed)
#ifdef TWICE
void thread0(void) {
  atomic_int *p = &either[tidemark_choose(2)];
  W(p, 1);
  W(&either[0], 2);
  W(p, 3);
}
void thread1(void) { W(&either[tidemark_choose(2)], 4); }
void final(void) { assert(either[0] != 1 && either[1] != 1 && (either[0] || either[1])); }
#else
static atomic_int *where(void) { return tidemark_choose(2) ? &x : &y; }
void thread0(void) { W(&x, 1); W(&y, 2); }
void thread1(void) { W(&y, 1); W(&x, 2); }
void thread2(void) { if (tidemark_choose(2)) W(where(), 3); }
void final(void) { assert(x != 1 || y != 1); }
#endif
