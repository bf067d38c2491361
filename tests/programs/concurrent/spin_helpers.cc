// A semaphore that looks a thousand times before it sleeps, by way of helpers that are told a memory order.  It goes to sleep
// whatever the last look has said (FIXED: only if there is no permit).
#include <atomic>
#include <cassert>
#include <cstdlib>
#include <semaphore.h>
#include <thread>

static void pause(std::memory_order order) {
  switch (order) {
  case std::memory_order_relaxed:
    break;
  case std::memory_order_acquire:
    std::atomic_signal_fence(std::memory_order_acquire);
    break;
  default:
    std::abort();
  }
}

struct counter {
  std::atomic<long> value{0};
  long look() const { return value.load(std::memory_order_relaxed); }
};

static counter count;
static sem_t sleepers;
static int data;

static void wait() {
  for (int rounds = 1000; --rounds >= 0;) {
    if (count.look() > 0) {
      count.value.fetch_sub(1);
      return;
    }
    pause(std::memory_order_acquire);
  }
#ifdef FIXED
  if (count.value.fetch_sub(1) > 0)
    return;
#else
  count.value.fetch_sub(1);
#endif
  sem_wait(&sleepers);
}

static void signal() {
  if (count.value.fetch_add(1) < 0)
    sem_post(&sleepers);
}

int main() {
  sem_init(&sleepers, 0, 0);
  std::thread other([] {
    data = 1;
    signal();
  });
  wait();
  assert(data == 1);
  other.join();
}
