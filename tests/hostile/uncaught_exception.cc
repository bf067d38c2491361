// EXPECT: abort 1
#include <stdexcept>
int main() {
  throw std::runtime_error("nobody listens");
}
