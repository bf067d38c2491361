// pthread_exit runs the destructors of the thread's C++ objects and catch (...) blocks.
// RUN: %tidemark_cxx -std=c++17 %s -o %t && %t && %tidemark check %t
#include <cassert>
#include <pthread.h>
#include <string>

static std::string order;

struct noisy {
  const char *name;
  ~noisy() {
    order += name;
  }
};

static void note(void *name) {
  order += static_cast<const char *>(name);
}

static void inner() {
  noisy n{"a"};
  pthread_cleanup_push(note, const_cast<char *>("b"));
  pthread_exit(&order);
  pthread_cleanup_pop(0);
}

static void *outer(void *) {
  noisy n{"d"};
  try {
    inner();
  } catch (...) {
    order += "c";
    throw;
  }
  return nullptr;
}

int main() {
  pthread_t t;
  void *result = nullptr;
  pthread_create(&t, nullptr, outer, nullptr);
  pthread_join(t, &result);
  assert(result == &order && order == "bacd");
  return 0;
}
