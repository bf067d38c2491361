// Maps, sets, lists and strings whose code is compiled with the program (include/tidemark-std) do what a sorted or
// plain vector does, in random operations; the trees stay balanced.
//
// RUN: %tidemark_cxx -std=c++17 -O1 %s -o %t && %t
// RUN: %tidemark_cxx -std=c++11 -O0 %s -o %t && %t
// RUN: %tidemark_cxx -std=c++98 -Wall -Werror -D_GLIBCXX_DEBUG -DOLD -c %s -o %t.o
// RUN: nm -C %t | %FileCheck %s
// CHECK-NOT: U std::_Rb_tree_insert_and_rebalance
// CHECK-NOT: U std::__detail::_List_node_base::_M_hook
// CHECK-NOT: U std::{{.*}}basic_string{{.*}}::_M_append
#ifdef OLD
#include <list>
#include <map>
#include <string>
std::map<std::string, std::list<int> > lists;
int main() {
  lists["one"].push_back(1);
}
#else
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <list>
#include <sstream>
#define private public // the trees' own check of themselves
#include <map>
#include <set>
#undef private
#include <string>
#include <vector>

static unsigned long state = 7;

static unsigned draw(unsigned n) {
  state = state * 6364136223846793005ul + 1442695040888963407ul;
  return (unsigned)(state >> 33) % n;
}

static void require(bool ok, int line) {
  if (!ok) {
    printf("line %d is wrong\n", line);
    exit(1);
  }
}
#define REQUIRE(e) require(e, __LINE__)

static void trees() {
  std::multiset<int> tree;
  std::vector<int> sorted;
  for (int i = 0; i < 6000; i++) {
    int key = (int)draw(60);
    bool grows = draw(100) < (i / 500 % 2 ? 40u : 60u);
    auto at = std::lower_bound(sorted.begin(), sorted.end(), key);
    if (grows) {
      tree.insert(key);
      sorted.insert(at, key);
    } else if (at != sorted.end() && *at == key) {
      tree.erase(tree.lower_bound(key));
      sorted.erase(at);
    }
    REQUIRE(tree._M_t.__rb_verify());
    if (i % 50 == 0) {
      REQUIRE(std::equal(tree.begin(), tree.end(), sorted.begin(), [](int a, int b) { return a == b; }));
      REQUIRE(std::equal(tree.rbegin(), tree.rend(), sorted.rbegin()));
    }
    if (i % 3000 == 2999) {
      auto from = tree.lower_bound(20), to = tree.upper_bound(40);
      sorted.erase(std::lower_bound(sorted.begin(), sorted.end(), 20),
                   std::upper_bound(sorted.begin(), sorted.end(), 40));
      tree.erase(from, to);
    }
  }
  std::map<int, int> one;
  one[3] = 4;
  REQUIRE(--one.end() == one.begin() && ++one.begin() == one.end());
  one.erase(3);
  REQUIRE(one.begin() == one.end());
}

static void compare(const std::list<int> &l, const std::vector<int> &v) {
  REQUIRE(l.size() == v.size() && std::equal(l.begin(), l.end(), v.begin()) &&
          std::equal(l.rbegin(), l.rend(), v.rbegin()));
}

static void lists() {
  std::list<int> l, m;
  std::vector<int> v, w;
  for (int i = 0; i < 2000; i++) {
    unsigned at = draw((unsigned)v.size() + 1), end = at + draw((unsigned)v.size() - at + 1);
    auto p = std::next(l.begin(), at), q = std::next(l.begin(), end);
    switch (draw(8)) {
    case 0:
    case 1:
    case 2:
      l.insert(p, i);
      v.insert(v.begin() + at, i);
      break;
    case 3:
      l.erase(p, q);
      v.erase(v.begin() + at, v.begin() + end);
      break;
    case 4:
      l.reverse();
      std::reverse(v.begin(), v.end());
      break;
    case 5:
      l.swap(m);
      v.swap(w);
      break;
    case 6:
      m.splice(m.begin(), l, p, q);
      w.insert(w.begin(), v.begin() + at, v.begin() + end);
      v.erase(v.begin() + at, v.begin() + end);
      break;
    case 7:
      l.sort();
      std::sort(v.begin(), v.end());
      l.splice(l.end(), l, l.begin(), std::next(l.begin(), at));
      std::rotate(v.begin(), v.begin() + at, v.end());
      break;
    }
    compare(l, v);
    compare(m, w);
  }
}

static void strings() {
  std::string s;
  std::ostringstream out;
  for (int i = 0; i < 200; i++) {
    s += std::to_string(i);
    s.insert(draw((unsigned)s.size()), "x");
    out << i << 'x';
  }
  REQUIRE(std::count(s.begin(), s.end(), 'x') == 200 && s.size() == out.str().size());
  std::istringstream in("ab cd");
  in >> s;
  REQUIRE(s == "ab" && s + "c" == "abc" && s.substr(1) == "b");
}

int main() {
  trees();
  lists();
  strings();
}
#endif
