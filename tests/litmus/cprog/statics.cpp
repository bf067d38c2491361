// Local statics are initialised once, and whoever comes later knows what was done.
// CHECK rc11: verified
// CHECK aarch64: verified
// CHECK sc: verified
// CHECK rc11 -fno-threadsafe-statics: violated
// CHECK rc11 -DSHARED: verified
// CHECK sc -DSHARED: verified
#include <atomic>
#include <cassert>
#include <pthread.h>
#ifdef SHARED
#include <memory>

static int dead;
struct object {
  int value = 1;
  ~object() { dead++; }
};
static std::shared_ptr<object> *handed;

static void *user(void *) {
  std::shared_ptr<object> mine = std::move(*handed);
  assert(mine->value == 1);
  return nullptr;
}

int main() {
  {
    auto p = std::make_shared<object>(), q = p;
    handed = &q;
    pthread_t t;
    pthread_create(&t, nullptr, user, nullptr);
    p.reset();
    pthread_join(t, nullptr);
  }
  assert(dead == 1);
}
#else
static int made;

struct object {
  int value;
  object() : value(42) { made++; }
};

static object &only() {
  static object it;
  return it;
}

extern "C" void thread0() { assert(only().value == 42); }
extern "C" void thread1() { assert(only().value == 42); }
extern "C" void final() { assert(made == 1); }
#endif
