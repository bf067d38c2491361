// EXPECT: none 0
#include <cstdio>
#include <string>
struct counter {
  std::string name = "fresh";
  ~counter() { std::puts(name.c_str()); }
};
static thread_local counter c;
static thread_local int n = 5;
int main() {
  if (c.name != "fresh" || n != 5)
    return 1;
  c.name = "used";
  n = 6;
  return 0;
}
