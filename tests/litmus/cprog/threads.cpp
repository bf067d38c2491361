// std::thread with lambdas and arguments, std::mutex, std::lock_guard.
// CHECK rc11: verified
// CHECK sc: verified
// CHECK rc11 -DRACE: violated
// CHECK rc11 -DFORGOTTEN: violated
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

static std::mutex mutex;
static int total;
static std::atomic<int> ready{0};
static int data;

static void add(int n) {
#ifndef RACE
  std::lock_guard<std::mutex> guard(mutex);
#endif
  total += n;
}

int main() {
  int seen = -1;
  std::thread a(add, 1), b([] { add(2); });
  std::thread writer([] {
    data = 7;
    ready.store(1, std::memory_order_release);
  });
  if (ready.load(std::memory_order_acquire)) seen = data;
  assert(seen == -1 || seen == 7);
  a.join();
  b.join();
#ifndef FORGOTTEN
  writer.join();
#endif
  assert(total == 3);
}
