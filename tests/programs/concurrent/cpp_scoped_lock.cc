// Two threads that want the same two locks: std::scoped_lock tries, steps back and tries again, which has no end of its own.
#include <cassert>
#include <mutex>
#include <thread>

static std::mutex left, right;
static int meals;

static void eat(std::mutex &first, std::mutex &second) {
#ifdef FIXED
  std::scoped_lock both(first, second);
#else
  std::scoped_lock one(first);
  std::scoped_lock other(second);
#endif
  meals++;
}

int main() {
  std::thread other(eat, std::ref(left), std::ref(right));
  eat(right, left);
  other.join();
  assert(meals == 2);
}
