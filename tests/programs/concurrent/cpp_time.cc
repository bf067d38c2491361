// Time that is over: of a future, of a loop that looks at the clock.  What one thread has seen on the clock before it says
// so, is not later than what another one sees then.
#include <atomic>
#include <cassert>
#include <chrono>
#include <future>
#include <thread>

using namespace std::chrono_literals;
using std::chrono::steady_clock;

static std::atomic<bool> go;
static std::atomic<long> when;

static long now() {
  return steady_clock::now().time_since_epoch().count();
}

int main() {
  auto answer = std::async(std::launch::async, [] { return 1; });
  bool in_time = answer.wait_for(1h) == std::future_status::ready;
  answer.wait();
  std::thread waits([] {
    auto end = steady_clock::now() + 50ms;
    while (!go && steady_clock::now() < end)
      std::this_thread::yield();
    if (long said = when)
      assert(said <= now());
  });
  std::this_thread::sleep_for(10min);
  when = now();
  go = true;
  waits.join();
#ifndef FIXED
  assert(in_time);
#else
  (void)in_time;
#endif
}
