// What C++ threads wait for: condition variables, call_once, latches, semaphores, atomics.
// CHECK rc11: verified
// CHECK rc11 -DUNGUARDED: violated
// CHECK rc11 -DTIMED: verified
// CHECK rc11 -DTIMED -DIMPATIENT: violated 54
// ENDS rc11
// HANG rc11 -DSILENT
// CHECK rc11 -DONCE: verified
// CHECK rc11 -DONCE -DTWICE: violated
// CHECK rc11 -DLATCH -std=c++20: verified
// CHECK rc11 -DLATCH -DEARLY -std=c++20: violated
// CHECK aarch64 -DATOMIC -std=c++20: verified
// CHECK aarch64 -DATOMIC -DEARLY -std=c++20: violated 98
#include <atomic>
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#ifdef LATCH
#include <latch>
#include <semaphore>
#endif

static int data, runs;

#if !defined ONCE && !defined LATCH && !defined ATOMIC
static std::mutex mutex;
static std::condition_variable changed;
static bool ready;

static void produce() {
#ifndef UNGUARDED
  std::lock_guard<std::mutex> guard(mutex);
#endif
  data = 1;
  ready = true;
#ifndef SILENT
  changed.notify_one();
#endif
}

int main() {
  std::thread producer(produce);
  {
    std::unique_lock<std::mutex> lock(mutex);
#ifdef TIMED
    if (!ready)
      changed.wait_for(lock, std::chrono::seconds(1));
#ifndef IMPATIENT
    if (ready)
#endif
    {
      assert(data == 1);
    }
#else
    changed.wait(lock, [] { return ready; });
    assert(data == 1);
#endif
  }
  producer.join();
}
#endif

#ifdef ONCE
static std::once_flag flag;

static void once() {
  std::call_once(flag, [] { runs++; });
#ifdef TWICE
  std::call_once(flag, [] {});
  runs++;
#endif
}

int main() {
  std::thread a(once), b([] { once(); });
  a.join();
  b.join();
  assert(runs == 1);
}
#endif

#ifdef ATOMIC
static std::atomic<int> turn{0};

int main() {
  std::thread a([] {
#ifdef EARLY
    turn.store(1, std::memory_order_relaxed);
#else
    data = 1;
    turn.store(1, std::memory_order_release);
#endif
    turn.notify_all();
  });
  turn.wait(0, std::memory_order_acquire);
  assert(data == 1);
  a.join();
}
#endif

#ifdef LATCH
static std::latch latch{2};
static std::counting_semaphore<4> items{0};

int main() {
  std::thread a([] {
    data = 1;
    latch.count_down();
    items.acquire();
    assert(runs == 1);
  });
  std::thread b([] {
#ifdef EARLY
    items.release();
    runs = 1;
#else
    runs = 1;
    items.release();
#endif
    latch.arrive_and_wait();
    assert(data == 1);
  });
  a.join();
  b.join();
}
#endif
