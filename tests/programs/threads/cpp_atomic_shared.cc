// The lock inside std::atomic<std::shared_ptr>, which libstdc++ releases with a relaxed order: a program that uses the
// type as it is meant to be used has no data race.  What the pointer points to is the program's business.
// RUN: %tidemark_cxx -std=c++20 -g %s -o %t
// RUN: %tidemark check --model=sc %t
// RUN: %tidemark check --model=sc %t exchange
// RUN: %tidemark check --model=sc %t wait
// RUN: %tidemark check --model=sc %t write > %t.txt 2>&1; test $? = 1
// RUN: %FileCheck %s < %t.txt
// RUN: %tidemark_cxx -std=c++20 -O2 -g %s -o %t
// RUN: %tidemark check --model=sc %t
#include <atomic>
#include <cassert>
#include <memory>
#include <string>
#include <thread>

struct Settings {
  int version;
  std::string name;
};

static std::atomic<std::shared_ptr<Settings>> current;

static void replace() {
  current.store(std::make_shared<Settings>(Settings{2, "two"}));
  current.notify_all();
}

static void look(const std::string &how) {
  std::shared_ptr<Settings> s = current.load();
  if (how == "exchange")
    current.compare_exchange_strong(s, s);
  else if (how == "wait" && s->version == 1)
    current.wait(s), s = current.load(), assert(s->version == 2);
  else if (how == "write")
    // CHECK: error[data-race]: data race: this store of
    // CHECK-NEXT: cpp_atomic_shared.cc:[[#@LINE+1]]:
    s->version = 3;
  else
    assert((s->version == 1) == (s->name == "one"));
}

int main(int argc, char **argv) {
  std::string how = argc > 1 ? argv[1] : "";
  current.store(std::make_shared<Settings>(Settings{1, "one"}));
  std::thread first(look, how), second(how == "write" ? std::thread(look, how) : std::thread(replace));
  first.join();
  second.join();
}
