// EXPECT: abort 1
// MESSAGE: std::terminate called
// STACK: give_up main
#include <exception>
__attribute__((noinline)) static int give_up(int n) {
  if (n)
    std::terminate(); // HERE
  return n;
}
int main(int argc, char **) {
  return give_up(argc) + 1;
}
