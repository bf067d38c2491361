// Numbers of 128 bits, sums and products with their overflow, structs as values.
// CHECK sc: verified
// CHECK rc11: verified
// CHECK aarch64 -O1: verified
// CHECK sc -DWRONG: violated 30
// CHECK sc -DTORN: violated 59
// ERROR sc -DDIVIDED: a division of 128 bits is not supported
#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
typedef unsigned __int128 u128;
typedef __int128 i128;
static u128 big = ((u128)5 << 64) | 7;
static i128 minus = -3;
static unsigned far = 70, near = 3;
struct two { long a, b; };
struct three { char a, b, c; };
struct mixed { int a; i128 b; };
static struct two make(long a, long b) { return (struct two){a, b}; }
static struct two other(long a, long b) { return (struct two){b, a}; }
static struct three small(char a) { return (struct three){a, a + 1, a + 2}; }
static u128 sum(u128 n) { return n == 0 ? 0 : n + sum(n - 1); }
static struct two twice(struct two p, int n) { return n ? twice(make(p.b, p.a), n - 1) : p; }
static struct two (*maker[2])(long, long) = {make, other};
static atomic_int which;
static struct two shared = {1, 1};
#ifdef WRONG
void thread0(void) {
  assert(big + 1 == big);
#else
void thread0(void) {
#endif
  assert((uint64_t)(big + UINT64_MAX) == 6 && (big + UINT64_MAX) >> 64 == 6);
  assert((big - 8) >> 64 == 4 && (uint64_t)(big - 8) == UINT64_MAX);
  assert(big * big == ((u128)70 << 64) + 49 && minus * minus == 9 && minus < 0 && (u128)minus > big);
  assert(big << far == (u128)7 << 70 && big >> far == 0 && (big << near) >> near == big);
  assert(minus >> far == -1 && (int64_t)(minus >> near) == -1 && (i128)(int8_t)200 == -56);
  assert((~big & 7) == 0 && (big ^ big) == 0 && (big | 8) == big + 8 && -minus == 3);
  assert(sum(4) == 10);
  int32_t r;
  int64_t s;
  uint64_t u;
  assert(__builtin_add_overflow(INT32_MAX, (int)near, &r) && r == INT32_MIN + 2);
  assert(!__builtin_sub_overflow((int)near, 5, &r) && r == -2);
  assert(__builtin_mul_overflow(INT64_MAX, (int64_t)near, &s) && !__builtin_mul_overflow((int64_t)-9, 7, &s));
  assert(s == -63 && __builtin_add_overflow(UINT64_MAX, (uint64_t)near, &u) && u == 2);
  assert(__builtin_sub_overflow((uint64_t)2, (uint64_t)near, &u) && u == UINT64_MAX);
  assert(__builtin_bswap32(0x01020304u + near) == 0x07030201 && __builtin_bswap64(1) == 1ull << 56);
#ifdef DIVIDED
  assert(big / near);
#endif
  struct three t = small(4);
  assert(t.a == 4 && t.b == 5 && t.c == 6);
  struct two x = maker[atomic_load(&which)](3, 4), y = twice(make(1, 2), 3);
  assert(x.a + x.b == 7 && (x.a == 3 || x.a == 4) && y.a == 2 && y.b == 1);
#ifdef TORN
  struct two z = shared;
  assert(z.a == z.b);
#endif
}
void thread1(void) {
  atomic_store(&which, 1);
#ifdef TORN
  shared = make(2, 2);
#endif
}
