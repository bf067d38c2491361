// A thread ends as in glibc: destructors of thread_local objects, then those of pthread keys, which still find its plain
// thread-local variables.  Those of the thread that calls exit last until the process has ended.
// RUN: %tidemark_cxx -std=c++17 %s -o %t && %t && %tidemark check %t
// RUN: for m in sc tso; do %tidemark check --model=$m %t || exit 1; done
#include <cassert>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <pthread.h>
#include <thread>

static pthread_key_t key;
static thread_local int plain = 3;
static int at_end;

struct local {
  int used = 0;
  ~local() {
    assert(!used || at_end == 0);
    at_end += used;
  }
};
static thread_local local object;

static void key_ends(void *) {
  assert(at_end == 1 && plain == 4);
  at_end = 2;
}

// Who is told at the thread's end finds its objects destroyed.
static std::mutex mutex;
static std::condition_variable changed;
static bool told;
static int destroyed;

struct counted {
  int used = 0;
  ~counted() {
    destroyed += used;
  }
};
static thread_local counted counts;

static void tells() {
  std::unique_lock<std::mutex> lock(mutex);
  counts.used = 1;
  told = true;
  std::notify_all_at_thread_exit(changed, std::move(lock));
}

static struct global {
  ~global() {
    if (plain != 7)
      abort();
  }
} last;

static void handler() {
  assert(plain == 6);
  plain = 7;
}

int main() {
  pthread_key_create(&key, key_ends);
  std::thread first([] {
    plain = 4;
    pthread_setspecific(key, &key);
    object.used = 1;
  });
  first.join();
  assert(at_end == 2);

  std::thread second(tells);
  {
    std::unique_lock<std::mutex> lock(mutex);
    changed.wait(lock, [] { return told; });
    assert(destroyed == 1);
  }
  second.join();

  atexit(handler);
  plain = 6;
  exit(0);
}
