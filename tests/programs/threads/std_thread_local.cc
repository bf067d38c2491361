// thread_local objects: one per thread, constructed at first use, destroyed at the thread's end.
// RUN: %tidemark_cxx -std=c++17 %s -o %t && %t && %tidemark check %t
#include <atomic>
#include <cassert>
#include <string>
#include <thread>
#include <vector>

static std::atomic<int> made, destroyed;

struct counter {
  int n = 0;
  std::string text = "a string that does not fit into the object itself";
  counter() {
    made++;
  }
  ~counter() {
    assert(n == 10 || n == 0);
    destroyed++;
  }
};

static thread_local counter mine;
static thread_local int plain = 5;

static void work() {
  static thread_local std::vector<int> local(3, 1);
  assert(plain == 5);
  plain = 6;
  for (int i = 0; i < 10; i++) {
    mine.n++;
    local.push_back(i);
    std::this_thread::yield();
  }
  assert(mine.n == 10 && local.size() == 13 && plain == 6);
}

int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; i++)
    threads.emplace_back(work);
  for (auto &t : threads)
    t.join();
  assert(made == 4 && destroyed == 4 && plain == 5);
  std::thread idle([] {});
  idle.join();
  assert(made == 4);
  assert(mine.n == 0 && made == 5);
  return 0;
}
