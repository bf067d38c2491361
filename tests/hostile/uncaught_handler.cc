// EXPECT: abort 1
// MESSAGE: uncaught exception of type std::runtime_error: x
// A terminate handler of the program's own.
#include <cstdlib>
#include <exception>
#include <stdexcept>
static void give_up() {
  std::abort();
}
int main(int argc, char **) {
  std::set_terminate(give_up);
  if (argc)
    throw std::runtime_error("x"); // HERE
}
