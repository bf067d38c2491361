#include <cstdio>

extern "C" {
extern __thread int tls_plain, pre_one;
int get(void);
}

namespace ns {
namespace in {
extern __thread int deep, deeper;
}
}

int main() {
  tls_plain = 50;
  std::printf("%d %d %d %d %d\n", get(), tls_plain, pre_one, ns::in::deep, ns::in::deeper);
  return 0;
}
