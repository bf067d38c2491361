#include "queue.h"

#include <cmath>
#include <cstdio>
#include <thread>
#include <tidemark.h>

int main(int count, char **) {
  long found = queue_read();
  tidemark_assert(found == -1 || found == 7);
  long pushed = 0;
  std::thread writer([&] {
    queue_push(7);
    pushed = queue::pushed;
  });
  writer.join();
  std::printf("read %ld, pushed %ld and %ld, %g\n", queue_read(), pushed, queue::pushed,
              std::cos(count - 1));
  return queue_read() == 7 && pushed == 1 && queue::pushed == 0 ? 0 : 1;
}
