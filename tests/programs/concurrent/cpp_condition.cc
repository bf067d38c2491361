// std::condition_variable: a predicate that is looked at, or forgotten.
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex mutex;
static std::condition_variable changed;
static bool ready;

int main() {
  std::jthread waits([] {
    std::unique_lock lock(mutex);
#ifdef FIXED
    changed.wait(lock, [] { return ready; });
#else
    changed.wait(lock);
#endif
    assert(ready);
  });
  std::jthread gives([] {
    std::lock_guard lock(mutex);
    ready = true;
    changed.notify_one();
  });
}
