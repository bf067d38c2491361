// EXPECT: abort 1
// FLAGS: -D_GLIBCXX_ASSERTIONS
// MESSAGE: assertion of the C++ library failed: __n < this->size()
// STACK: get main
#include <vector>
__attribute__((noinline)) static int get(const std::vector<int> &v, unsigned i) {
  return v[i]; // HERE
}
int main(int argc, char **) {
  std::vector<int> v(2);
  return get(v, argc + 2) + 1;
}
