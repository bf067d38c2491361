// A program built with tidemark-c++ runs as usual: threads, thread_local with destructors,
// call_once, exceptions across threads, iostream, regions, 16-byte atomics, variable arguments.
//
// RUN: %tidemark_cxx -std=c++17 -O0 %s -o %t.O0 && %t.O0 | %FileCheck %s
// RUN: %tidemark_cxx -std=c++17 -O2 %s -o %t.O2 && %t.O2 | %FileCheck %s
// RUN: sh -c '%t.O2 fail; test $? -eq 134' 2>&1 | %FileCheck --check-prefix=ASSERT %s
//
// The checker refuses native thread-local storage and copy relocations: there are none.
// RUN: readelf -lW %t.O2 | %FileCheck --check-prefix=SEGMENTS --implicit-check-not=TLS %s
// RUN: readelf -rW %t.O2 | %FileCheck --check-prefix=RELOCATIONS --implicit-check-not=R_X86_64_COPY %s
// SEGMENTS: LOAD
// RELOCATIONS: R_X86_64
#include <atomic>
#include <future>
#include <iostream>
#include <map>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <tidemark.h>
#include <vector>

struct Counted {
  static std::atomic<int> alive;
  std::string text = "thread";
  Counted() {
    alive++;
  }
  ~Counted() {
    alive--;
  }
};
std::atomic<int> Counted::alive;
static thread_local Counted mine;
static thread_local int number = 41;
alignas(64) static thread_local char aligned[64];

static void threads() {
  std::once_flag once;
  std::atomic<int> sum{0};
  std::vector<std::thread> all;
  for (int i = 0; i < 8; i++)
    all.emplace_back([&, i] {
      std::call_once(once, [] { std::cout << "once\n"; });
      number += i;
      mine.text += std::to_string(i);
      sum += number + (int)mine.text.size() + (int)((uintptr_t)aligned % 64);
    });
  for (auto &t : all)
    t.join();
  std::cout << "sum " << sum << " alive " << Counted::alive << "\n";
  // CHECK: once
  // CHECK-NEXT: sum 412 alive 0
}

static void exceptions() {
  auto f = std::async(std::launch::async, []() -> int { throw std::out_of_range("far"); });
  try {
    f.get();
  } catch (const std::out_of_range &e) {
    std::cout << "caught " << e.what() << "\n";
    // CHECK-NEXT: caught far
  }
  std::once_flag once;
  for (int i = 0; i < 2; i++)
    try {
      std::call_once(once, [i] {
        if (i == 0)
          throw i;
        std::cout << "second try\n";
        // CHECK-NEXT: second try
      });
    } catch (int) {
    }
}

struct Wide {
  void *pointer;
  long count;
};

static void regions() {
  long *a = (long *)tidemark_region("a", 4096), *b = (long *)tidemark_region("b", 4096);
  a[0] = 1;
  b[0] = 2;
  tidemark_assert(a != b && tidemark_region("a", 1) == a && a[0] == 1 && a[1] == 0);
  char *p = (char *)tidemark_alloc(100);
  tidemark_assert((uintptr_t)p % 64 == 0 && p[99] == 0);
  tidemark_free(p);
  tidemark_assert(tidemark_failures() == 0 && tidemark_machines() == 1);
  tidemark_outcome("%d", 1);
  std::atomic<Wide> wide{{nullptr, 1}};
  Wide w = wide.load();
  Wide next = {nullptr, w.count + 1};
  bool done = wide.compare_exchange_strong(w, next);
  std::cout << "wide " << done << " " << wide.load().count << "\n";
  // CHECK-NEXT: wide 1 2
}

int main(int argc, char **) {
  threads();
  exceptions();
  regions();
  std::map<std::string, int> words;
  std::istringstream text("one two one");
  for (std::string word; text >> word;)
    words[word]++;
  for (auto &[w, n] : words)
    std::cout << w << " " << n << "\n";
  // CHECK-NEXT: one 2
  // CHECK-NEXT: two 1
  std::cout.flush();
  tidemark_assume(argc == 1);
  tidemark_assert(argc == 1);
  // ASSERT: native.cc:[[@LINE-1]]: main: tidemark_assert(argc == 1) failed
  return 0;
}
