// EXPECT: segfault 1
// ONLY: pm
// SAYS: in the heap before the failure
// STORE: 15
// A lock on the heap, used after the failure as if it were still there.
#include <mutex>
#include <tidemark.h>
struct root { std::mutex *lock; long value; };
int main() {
  root *pm = static_cast<root *>(tidemark_region("root", sizeof(root)));
  if (pm->lock) {
    std::lock_guard<std::mutex> guard(*pm->lock);
    return 0;
  }
  pm->lock = new std::mutex;
  std::lock_guard<std::mutex> guard(*pm->lock);
  pm->value = 1;
  return 0;
}
