// std::atomic wait and notify: without the notification a thread sleeps for ever.
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> number;

int main() {
  std::jthread waits([] {
    number.wait(0);
    assert(number == 1);
  });
  std::jthread gives([] {
    number = 1;
#ifdef FIXED
    number.notify_one();
#endif
  });
}
