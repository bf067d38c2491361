// The function's own name is there, however long the arguments of the templates are that it belongs to.
// BUILD
// FIND --analyses=robustness: robustness at=x in=holder<>::inner::put lost=x survived=y
#include <immintrin.h>
#include <tidemark.h>

template <typename A, typename B, typename C> struct arguments_with_a_long_name {};

template <typename T> struct holder {
  struct inner {
    long x, pad[7], y;
    __attribute__((noinline)) void put() {
      x = 1; //@x
      y = 1; //@y
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
