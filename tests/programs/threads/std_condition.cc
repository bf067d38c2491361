// std::condition_variable and condition_variable_any.
// RUN: %tidemark_cxx -std=c++17 %s -o %t && %t && %tidemark check %t
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <shared_mutex>
#include <thread>

using namespace std::chrono_literals;

static std::mutex mutex;
static std::condition_variable changed;
static std::deque<int> queue;
static bool closed;

static int drain() {
  int sum = 0;
  for (;;) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [] { return closed || !queue.empty(); });
    if (queue.empty())
      return sum;
    sum += queue.front();
    queue.pop_front();
  }
}

int main() {
  int sums[2] = {};
  std::thread a([&] { sums[0] = drain(); });
  std::thread b([&] { sums[1] = drain(); });
  for (int i = 1; i <= 100; i++) {
    std::lock_guard lock(mutex);
    queue.push_back(i);
    changed.notify_one();
  }
  {
    std::lock_guard lock(mutex);
    closed = true;
  }
  changed.notify_all();
  a.join();
  b.join();
  assert(sums[0] + sums[1] == 5050);

  std::unique_lock lock(mutex);
  assert(!changed.wait_for(lock, 1ms, [] { return false; }));
  auto late = std::chrono::steady_clock::now() + 1ms;
  assert(!changed.wait_until(lock, late, [] { return false; }));
  assert(std::chrono::steady_clock::now() >= late);
  lock.unlock();

  std::shared_mutex shared;
  std::condition_variable_any any;
  bool ready = false;
  std::thread waiter([&] {
    std::shared_lock reading(shared);
    any.wait(reading, [&] { return ready; });
  });
  {
    std::lock_guard writing(shared);
    ready = true;
  }
  any.notify_all();
  waiter.join();
  return 0;
}
