// The function's own name is there, however long the arguments of the templates are that it belongs to.
// BUILD
// FIND --analyses=robustness: robustness at=x2 in=holder<>::inner::put lost=x2 survived=y2
// Arguments of functions that are values, which clang writes in a newer way, do not hide the name in call stacks.
// BUILD -DVALUE
// FIND --analyses=robustness: robustness at=x stack:lost=box::box<int><put<int><main lost=x survived=y
#include <immintrin.h>
#include <new>
#include <tidemark.h>
#include <type_traits>

#ifdef VALUE
struct box {
  long x, pad[7], y;
  template <typename T, typename std::enable_if<sizeof(T) == 4, bool>::type = true>
  __attribute__((noinline)) box(T value) {
    x = value; //@x
    y = value; //@y
  }
};

template <typename T, typename std::enable_if<sizeof(T) == 4, bool>::type = true>
__attribute__((noinline)) static void put(box *p, T value) {
  new (p) box(value);
  __asm__ volatile("");
}

int main() {
  auto *p = static_cast<box *>(tidemark_region("p", sizeof(box)));
  if (!tidemark_failures())
    put(p, 1);
  else
    tidemark_outcome("%d", p->y && p->x);
  return 0;
}
#else

template <typename A, typename B, typename C> struct arguments_with_a_long_name {};

template <typename T> struct holder {
  struct inner {
    long x, pad[7], y;
    __attribute__((noinline)) void put() {
      x = 1; //@x2
      y = 1; //@y2
    }
  };
};

using deep = arguments_with_a_long_name<long, arguments_with_a_long_name<int, char, unsigned long>,
                                        arguments_with_a_long_name<short, double, unsigned char>>;
using deeper = arguments_with_a_long_name<deep, deep, arguments_with_a_long_name<deep, deep, deep>>;

int main() {
  auto *p = static_cast<holder<deeper>::inner *>(tidemark_region("p", sizeof(holder<deeper>::inner)));
  if (!tidemark_failures())
    p->put();
  else
    tidemark_outcome("%d", p->y && p->x);
  return 0;
}
#endif
