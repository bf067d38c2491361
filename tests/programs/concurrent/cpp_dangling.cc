// A container whose memory moves while somebody keeps an element of it.
#include <cassert>
#include <mutex>
#include <thread>
#include <vector>

static std::vector<int> numbers{1};
static std::mutex lock;

static void looks() {
  lock.lock();
  int &first = numbers[0];
#ifdef FIXED
  assert(first == 1);
  lock.unlock();
#else
  lock.unlock();
  assert(first == 1);
#endif
}

static void adds() {
  std::lock_guard<std::mutex> guard(lock);
  numbers.push_back(2);
}

int main() {
  std::thread a(looks), b(adds);
  a.join();
  b.join();
}
