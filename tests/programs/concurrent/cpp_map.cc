// A map that is looked at while it grows.  libstdc++ links nodes in its library; here that is compiled with the program.
#include <cassert>
#include <map>
#include <mutex>
#include <thread>

static std::map<int, int> squares;

#ifdef FIXED
static std::mutex mutex;
#define GUARD std::lock_guard<std::mutex> guard(mutex)
#else
#define GUARD (void)0
#endif

static void add() {
  GUARD;
  squares.emplace(3, 9);
}

static void look() {
  GUARD;
  auto found = squares.find(3);
  assert(found == squares.end() || found->second == 9);
}

int main() {
  std::thread a(add), b(look);
  a.join();
  b.join();
}
