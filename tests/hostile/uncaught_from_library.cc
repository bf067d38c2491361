// EXPECT: abort 1
// MESSAGE: uncaught exception of type std::out_of_range: vector::_M_range_check: __n (which is 3) >= this->size() (which is 2)
// STACK: get main
#include <vector>
__attribute__((noinline)) static int get(const std::vector<int> &v, unsigned i) {
  return v.at(i); // HERE
}
int main(int argc, char **) {
  std::vector<int> v(2);
  return get(v, argc + 2) + 1;
}
