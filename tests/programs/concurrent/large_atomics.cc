// Atomic objects that no instruction can store at once: each operation is one step all the same.
#include <atomic>
#include <cassert>
#include <thread>

struct triple {
  long x, y, z;
};

static std::atomic<triple> all;

static void add() {
  triple old = all.load();
#ifdef FIXED
  while (!all.compare_exchange_strong(old, {old.x + 1, old.y + 1, old.z + 1}))
    ;
#else
  all.store({old.x + 1, old.y + 1, old.z + 1});
#endif
}

int main() {
  std::thread one(add), two(add);
  triple now = all.load();
  assert(now.x == now.y && now.y == now.z);
  one.join();
  two.join();
  assert(all.exchange({7, 7, 7}).x == 2);
  assert(all.load().z == 7);
}
