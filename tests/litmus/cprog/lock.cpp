// C++: templates, member functions, std::atomic, new, an object that is made before main.
// CHECK rc11: verified
// CHECK aarch64: verified
// CHECK rc11 -DRELAXED: violated
#include <atomic>
#include <cassert>
#include <mutex>
#include <pthread.h>

#ifdef RELAXED
constexpr auto order = std::memory_order_relaxed;
#else
constexpr auto order = std::memory_order_release;
#endif

class spin_lock {
  std::atomic<bool> held{false};

public:
  void lock() {
    while (held.exchange(true, std::memory_order_acquire)) {
    }
  }
  void unlock() { held.store(false, order); }
};

static int five() { return 5; }

struct counter {
  int value;
  counter(int n) : value(n) {}
};

static spin_lock lock;
static counter total(five());
static counter *other;

static void *worker(void *) {
  std::lock_guard<spin_lock> guard(lock);
  total.value++;
  other->value++;
  return nullptr;
}

int main() {
  pthread_t t[2];
  other = new counter(1);
  for (auto &x : t) pthread_create(&x, nullptr, worker, nullptr);
  for (auto &x : t) pthread_join(x, nullptr);
  assert(total.value == 7 && other->value == 3);
  delete other;
}
