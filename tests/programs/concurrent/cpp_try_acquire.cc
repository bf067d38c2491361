// A thread that tries until it has the permit.  The library tries several times itself, counting: a loop that counts in
// one that waits.
#include <semaphore>
#include <thread>

static std::binary_semaphore permit(1);

static void work() {
  while (!permit.try_acquire())
    continue;
#ifdef FIXED
  permit.release();
#endif
}

int main() {
  std::thread a(work), b(work);
  a.join();
  b.join();
}
