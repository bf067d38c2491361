// std::thread and the mutexes of C++17.
// RUN: %tidemark_cxx -std=c++17 %s -o %t && %t && %tidemark check %t
#include <cassert>
#include <chrono>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

static std::mutex a, b;
static int counter;

static void add(int times, int &own) {
  for (int i = 0; i < times; i++) {
    std::scoped_lock both(a, b);
    counter++;
    own++;
  }
}

static void add_backwards(int times, int &own) {
  for (int i = 0; i < times; i++) {
    std::scoped_lock both(b, a);
    counter++;
    own++;
  }
}

struct tracer {
  static inline int alive = 0;
  int value;
  explicit tracer(int v) : value(v) {
    alive++;
  }
  tracer(const tracer &o) : value(o.value) {
    alive++;
  }
  ~tracer() {
    alive--;
  }
};

static void kinds() {
  std::recursive_mutex recursive;
  std::lock_guard outer(recursive);
  std::lock_guard inner(recursive);
  std::timed_mutex timed;
  timed.lock();
  bool got = true, got_until = true, tried = true;
  std::thread other([&] {
    tried = recursive.try_lock();
    got = timed.try_lock_for(std::chrono::milliseconds(1));
    got_until = timed.try_lock_until(std::chrono::system_clock::now());
  });
  other.join();
  assert(!tried && !got && !got_until);
  timed.unlock();
}

int main() {
  int own[4] = {};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; i++)
    threads.emplace_back(i % 2 ? add : add_backwards, 25, std::ref(own[i]));
  for (auto &t : threads)
    t.join();
  assert(counter == 100);
  for (int n : own)
    assert(n == 25);
  {
    tracer value(7);
    int seen = 0;
    std::thread t([value, &seen] { seen = value.value; });
    assert(t.joinable() && t.get_id() != std::this_thread::get_id());
    t.join();
    assert(!t.joinable() && seen == 7);
  }
  assert(tracer::alive == 0);
  kinds();
  std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::microseconds(10));
  assert(std::thread::hardware_concurrency() > 0);
  return 0;
}
