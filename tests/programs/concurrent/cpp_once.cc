// std::call_once, whose function is handed over in thread-local variables of the C++ library; errno is one of libc.
#include <cassert>
#include <cerrno>
#include <mutex>
#include <thread>

#ifdef FIXED
static std::once_flag once;
#else
static thread_local std::once_flag once; // each thread has its own
#endif
static int made, tried;

static void make() {
  if (tried++ == 0)
    throw 1; // then somebody else has to
  made++;
}

static void use(int number) {
  errno = number;
  try {
    std::call_once(once, make);
    assert(made == 1);
  } catch (int) {
  }
  assert(errno == number);
}

int main() {
  std::thread one(use, 1), two(use, 2);
  one.join();
  two.join();
  assert(made == 1);
}
