// An exception that nobody catches ends the program; others are not followed.
// CHECK rc11: verified
// CHECK rc11 -DTHROW: violated 18
// ERROR rc11 -DTHROW -DCATCH: an exception in a program that catches some
#include <atomic>
#include <pthread.h>
#include <stdexcept>

static std::atomic<int> x;

static void *writer(void *) {
  x = 1;
  return nullptr;
}

static void look(int limit) {
#ifdef THROW
  if (x >= limit) throw std::runtime_error("seen");
#else
  if (x > limit) throw std::runtime_error("never");
#endif
}

int main() {
  pthread_t t;
  pthread_create(&t, nullptr, writer, nullptr);
#ifdef CATCH
  try {
    look(1);
  } catch (const std::exception &) {
  }
#else
  look(1);
#endif
  pthread_join(t, nullptr);
}
