// Turns in code of the C++ library are shown where the program called it, also of a deadlock: what identifies it does not
// depend on the address to which a worker has loaded the program.
// RUN: %tidemark_cxx -std=c++17 -g %s -o %t && (%tidemark check --model=sc %t 2>&1; test $? = 1) | %FileCheck %s
// CHECK: thread 3 waits for condition variable changed
// CHECK: thread 1 goes on with std::lock_guard<std::mutex>::lock_guard at turns_in_library.cc:[[@LINE+21]]
// CHECK: 1 finding; the search is complete
#include <condition_variable>
#include <mutex>
#include <queue>
#include <thread>

static std::mutex mutex;
static std::condition_variable changed;
static std::queue<int> items;
static bool done;

static void produce() {
  for (int i = 0; i < 2; i++) {
    {
      std::lock_guard<std::mutex> lock(mutex);
      items.push(i);
    }
    changed.notify_one();
  }
  {
    std::lock_guard<std::mutex> lock(mutex);
    done = true;
  }
  changed.notify_one(); // and the other one?
}

static void consume() {
  for (;;) {
    std::unique_lock<std::mutex> lock(mutex);
    changed.wait(lock, [] { return done || !items.empty(); });
    if (items.empty())
      return;
    items.pop();
  }
}

int main() {
  std::thread producer(produce), one(consume), two(consume);
  producer.join();
  one.join();
  two.join();
}
