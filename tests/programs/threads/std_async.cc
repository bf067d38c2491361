// Futures: async, promise, packaged_task, shared_future, exceptions carried over.
// RUN: %tidemark_cxx -std=c++17 %s -o %t && %t && %tidemark check %t
#include <cassert>
#include <chrono>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using namespace std::chrono_literals;

static int square(int n) {
  return n * n;
}

static int fail(const std::string &why) {
  throw std::runtime_error(why);
}

static void exceptions() {
  auto broken = std::async(std::launch::async, fail, "on purpose");
  try {
    broken.get();
    assert(false);
  } catch (const std::runtime_error &e) {
    assert(std::string(e.what()) == "on purpose");
  }
  std::promise<int> abandoned;
  auto never = abandoned.get_future();
  abandoned = std::promise<int>();
  try {
    never.get();
    assert(false);
  } catch (const std::future_error &e) {
    assert(e.code() == std::future_errc::broken_promise);
  }
}

static void waiting() {
  std::promise<int> promise;
  auto future = promise.get_future().share();
  assert(future.wait_for(1ms) == std::future_status::timeout);
  assert(future.wait_until(std::chrono::system_clock::now() + 1ms) == std::future_status::timeout);
  std::thread a([future] { assert(future.get() == 9); });
  std::thread b([future] { assert(future.get() == 9); });
  promise.set_value(9);
  a.join();
  b.join();
  std::promise<int> late;
  auto at_exit = late.get_future();
  std::thread c([&late] { late.set_value_at_thread_exit(4); });
  assert(at_exit.get() == 4);
  c.join();
}

int main() {
  std::vector<std::future<int>> squares;
  for (int i = 0; i < 5; i++)
    squares.push_back(std::async(std::launch::async, square, i));
  int sum = 0;
  for (auto &f : squares)
    sum += f.get();
  assert(sum == 0 + 1 + 4 + 9 + 16);
  assert(std::async(std::launch::deferred, square, 3).get() == 9);
  std::packaged_task<int(int)> task(square);
  auto result = task.get_future();
  std::thread t(std::move(task), 6);
  assert(result.get() == 36);
  t.join();
  auto shared = std::make_shared<int>(5);
  auto user = std::async(std::launch::async, [shared] { return *shared; });
  assert(user.get() == 5);
  user = {};
  assert(shared.use_count() == 1);
  exceptions();
  waiting();
  return 0;
}
