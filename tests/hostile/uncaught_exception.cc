// EXPECT: abort 1
// MESSAGE: uncaught exception of type std::runtime_error: nobody listens
// STACK: check work main
#include <stdexcept>
namespace {
struct guard {
  volatile int n = 0;
  ~guard() { n = 1; }
};
}
__attribute__((noinline)) int check(int n) {
  guard g;
  if (n == 1)
    throw std::runtime_error("one");
  if (n == 2)
    throw std::runtime_error("nobody listens"); // HERE
  return g.n;
}
__attribute__((noinline)) int work(int n) {
  return check(n) + 1;
}
int main(int argc, char **) {
  return work(argc + 1) + 1;
}
