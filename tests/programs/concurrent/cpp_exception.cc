// An exception that two threads hold is destroyed by the last of them, after the other has looked at it.
#include <cassert>
#include <exception>
#include <thread>

static int look(std::exception_ptr caught) {
  try {
    std::rethrow_exception(caught);
  } catch (int number) {
    return number;
  }
}

int main() {
  std::exception_ptr caught = std::make_exception_ptr(7);
#ifdef FIXED
  std::thread other([caught] { assert(look(caught) == 7); });
#else
  std::thread other([&caught] { assert(look(caught) == 7); });
#endif
  caught = nullptr;
  other.join();
}
