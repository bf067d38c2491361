// std::thread, jthread, mutex, scoped_lock, shared_mutex.
#include <cassert>
#include <mutex>
#include <shared_mutex>
#include <thread>

static std::mutex left, right;
static std::shared_mutex shared;
static int money[2] = {1, 1}, total;

static void transfer(int from, int to) {
#ifdef FIXED
  std::scoped_lock both(left, right);
#else
  std::lock_guard first(from ? right : left), second(to ? right : left);
#endif
  money[from]--;
  money[to]++;
}

int main() {
  { std::jthread one(transfer, 0, 1), two(transfer, 1, 0); }
  assert(money[0] == 1 && money[1] == 1);
  std::thread writer([] {
    std::unique_lock lock(shared);
    total += 2;
  });
  std::thread reader([] {
    std::shared_lock lock(shared);
    assert(total == 0 || total == 2);
  });
  writer.join();
  reader.join();
}
