// std::latch: who goes on before it is open sees what is not there yet.
#include <atomic>
#include <cassert>
#include <latch>
#include <thread>

static std::latch done(2);
static int results[2];

int main() {
  std::jthread one([] {
    results[0] = 1;
    done.count_down();
  });
  std::jthread two([] {
    results[1] = 1;
    done.count_down();
  });
#ifdef FIXED
  done.wait();
#endif
  assert(results[0] + results[1] == 2);
}
