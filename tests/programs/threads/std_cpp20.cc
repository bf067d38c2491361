// C++20: latch, barrier, semaphores, jthread, stop_token, waiting on atomics.
// RUN: %tidemark_cxx -std=c++20 %s -o %t && %t && %tidemark check %t
#include <atomic>
#include <barrier>
#include <cassert>
#include <chrono>
#include <latch>
#include <memory>
#include <semaphore>
#include <thread>
#include <vector>

using namespace std::chrono_literals;

static void latches() {
  std::latch start(1), done(3);
  std::atomic<int> sum = 0;
  std::vector<std::jthread> threads;
  for (int i = 1; i <= 3; i++)
    threads.emplace_back([&, i] {
      start.wait();
      sum += i;
      done.count_down();
    });
  assert(!done.try_wait());
  start.count_down();
  done.wait();
  assert(sum == 6);
}

static void barriers() {
  int phases = 0;
  auto completed = [&phases]() noexcept { phases++; };
  std::barrier meet(3, completed);
  std::atomic<int> passed = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 3; i++)
      threads.emplace_back([&] {
        for (int p = 0; p < 4; p++) {
          meet.arrive_and_wait();
          passed++;
        }
      });
  }
  assert(phases == 4 && passed == 12);
}

static void semaphores() {
  std::counting_semaphore<3> slots(2);
  std::binary_semaphore ready(0);
  assert(slots.try_acquire() && slots.try_acquire() && !slots.try_acquire());
  assert(!slots.try_acquire_for(1ms));
  std::jthread other([&] {
    slots.acquire();
    ready.release();
  });
  slots.release();
  ready.acquire();
}

static void stopping() {
  std::atomic<int> rounds = 0;
  std::jthread loop([&](std::stop_token stop) {
    while (!stop.stop_requested()) {
      rounds++;
      rounds.notify_one();
      std::this_thread::yield();
    }
  });
  rounds.wait(0);
  assert(rounds > 0);
  loop.request_stop();
}

static void atomic_waits() {
  std::atomic<int> number = 0;
  std::atomic_flag flag = ATOMIC_FLAG_INIT;
  std::jthread other([&] {
    number = 1;
    number.notify_all();
    flag.wait(false);
    number = 2;
    number.notify_one();
  });
  number.wait(0);
  assert(number == 1);
  flag.test_and_set();
  flag.notify_one();
  number.wait(1);
  assert(number == 2);
}

int main() {
  latches();
  barriers();
  semaphores();
  stopping();
  atomic_waits();
  return 0;
}
