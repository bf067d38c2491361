// EXPECT: abort 1
// MESSAGE: uncaught exception of type std::logic_error: first
// STACK: source
#include <exception>
#include <stdexcept>
__attribute__((noinline)) static void source(int n) {
  if (n)
    throw std::logic_error("first"); // HERE
}
static std::exception_ptr kept;
int main(int argc, char **) {
  try {
    source(argc);
  } catch (...) {
    kept = std::current_exception();
  }
  try {
    std::rethrow_exception(kept);
  } catch (const std::runtime_error &) {
    return 1;
  } catch (...) {
    throw;
  }
}
