// std::binary_semaphore: it is released before what it announces is there.
//
// Not with acquire(): that of libstdc++ 12 can sleep although there is a permit (docs/concurrent.md).
#include <cassert>
#include <semaphore>
#include <thread>

static std::binary_semaphore ready(0);
static int value;

int main() {
  std::jthread gives([] {
#ifdef FIXED
    value = 1;
    ready.release();
#else
    ready.release();
    value = 1;
#endif
  });
  std::jthread takes([] {
    if (ready.try_acquire())
      assert(value == 1);
  });
}
