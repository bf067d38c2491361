// std::call_once, also when the function throws; static variables initialised by many threads.
// RUN: %tidemark_cxx -std=c++17 %s -o %t && %t && %tidemark check %t
#include <atomic>
#include <cassert>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

static std::once_flag flag, throwing;
static std::atomic<int> calls, throws, successes;

struct slow {
  static inline std::atomic<int> made{0};
  int value;
  slow() {
    std::this_thread::yield();
    made++;
    value = 42;
  }
};

static slow &instance() {
  static slow only;
  return only;
}

static void work() {
  std::call_once(
      flag,
      [](int n) {
        calls += n;
        std::this_thread::yield();
      },
      1);
  assert(calls == 1);
  assert(instance().value == 42);
  try {
    std::call_once(throwing, [] {
      std::this_thread::yield();
      if (throws++ < 2)
        throw std::runtime_error("again");
      successes++;
    });
  } catch (const std::runtime_error &) {
  }
}

int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 5; i++)
    threads.emplace_back(work);
  for (auto &t : threads)
    t.join();
  assert(calls == 1 && slow::made == 1);
  assert(throws == 3 && successes == 1);
  return 0;
}
