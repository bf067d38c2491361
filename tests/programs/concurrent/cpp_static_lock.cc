// Who makes a static variable waits for a lock, whose holder waits for the variable.
#include <mutex>
#include <thread>

static std::mutex lock;

struct thing {
  thing() {
#ifndef FIXED
    std::lock_guard<std::mutex> guard(lock);
#endif
  }
};

static void get() {
  static thing only;
}

int main() {
  std::thread one([] {
    std::lock_guard<std::mutex> guard(lock);
    get();
  });
  get();
  one.join();
}
