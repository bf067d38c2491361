// A static variable of a function is made once, and whoever finds it made sees all of it.
#include <cassert>
#include <thread>

static int made;

struct thing {
  int value;
  thing() : value(++made) {}
};

static thing &get() {
#ifdef FIXED
  static thing only;
  return only;
#else
  static thing *only;
  if (!only)
    only = new thing;
  return *only;
#endif
}

static void use() {
  assert(get().value == 1);
}

int main() {
  std::thread one(use), two(use);
  one.join();
  two.join();
}
