// std::shared_mutex and shared_timed_mutex.
// RUN: %tidemark_cxx -std=c++17 %s -o %t && %t && %tidemark check %t
#include <cassert>
#include <chrono>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>

static std::shared_mutex mutex;
static std::map<int, int> squares;

static void fill(int from) {
  for (int i = from; i < from + 10; i++) {
    std::unique_lock lock(mutex);
    squares[i] = -1;
    std::this_thread::yield();
    squares[i] = i * i;
  }
}

static void verify() {
  for (int i = 0; i < 20; i++) {
    std::shared_lock lock(mutex);
    for (auto [n, square] : squares)
      assert(square == n * n);
  }
}

int main() {
  std::vector<std::thread> threads;
  threads.emplace_back(fill, 0);
  threads.emplace_back(verify);
  threads.emplace_back(fill, 10);
  threads.emplace_back(verify);
  for (auto &t : threads)
    t.join();
  assert(squares.size() == 20);

  std::shared_timed_mutex timed;
  timed.lock_shared();
  bool shared = false, alone = true;
  std::thread other([&] {
    shared = timed.try_lock_shared_for(std::chrono::milliseconds(1));
    alone = timed.try_lock_for(std::chrono::milliseconds(1));
    timed.unlock_shared();
  });
  other.join();
  assert(shared && !alone);
  timed.unlock_shared();
  assert(timed.try_lock());
  timed.unlock();
  return 0;
}
