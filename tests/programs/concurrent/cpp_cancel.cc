// Objects of a thread that is cancelled are destroyed on the way out.
#include <atomic>
#include <cassert>
#include <pthread.h>
#include <semaphore.h>

static sem_t empty;
static std::atomic<int> alive;

struct counted {
  counted() {
    alive++;
  }
  ~counted() {
#ifdef FIXED
    alive--;
#endif
  }
};

static void *waits(void *unused) {
  counted one, two;
  sem_wait(&empty);
  return unused;
}

int main() {
  pthread_t other;
  sem_init(&empty, 0, 0);
  pthread_create(&other, nullptr, waits, nullptr);
  pthread_cancel(other);
  pthread_join(other, nullptr);
  assert(alive == 0);
}
