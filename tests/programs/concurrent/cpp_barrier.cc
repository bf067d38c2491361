// std::barrier: both write, then both read.
#include <barrier>
#include <cassert>
#include <thread>

static std::barrier meet(2);
static int values[2];

static void work(int me) {
  values[me] = 1;
#ifdef FIXED
  meet.arrive_and_wait();
#endif
  assert(values[1 - me] == 1);
}

int main() {
  std::jthread one(work, 0), two(work, 1);
}
