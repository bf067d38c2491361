// EXPECT: abort 1
#include <cstddef>
int main() {
  volatile std::size_t n = (std::size_t)1 << 60;
  char *volatile p = new char[n];
  return p[0];
}
