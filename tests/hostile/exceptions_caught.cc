// EXPECT: none 0
#include <future>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>
struct guard {
  int *n;
  ~guard() { ++*n; }
};
__attribute__((noinline)) static int deep(int n, int *unwound) {
  guard g{unwound};
  if (n == 0)
    throw std::runtime_error("bottom");
  return deep(n - 1, unwound) + 1;
}
static int attempt(int depth) {
  int unwound = 0;
  try {
    try {
      deep(depth, &unwound);
    } catch (std::logic_error &) {
      return 1;
    }
  } catch (std::exception &e) {
    return std::string(e.what()) != "bottom" || unwound != depth + 1;
  }
  return 1;
}
int main() {
  int wrong = 0;
  for (int i = 0; i < 100; i++)
    wrong += attempt(i);
  std::vector<std::future<int>> all;
  for (int i = 0; i < 4; i++)
    all.push_back(std::async(std::launch::async, [=]() -> int { throw i; }));
  for (int i = 3; i >= 0; i--)
    try {
      all[i].get();
    } catch (int n) {
      wrong += n != i;
    }
  return wrong;
}
