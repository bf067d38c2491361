// EXPECT: none 0
// OPTIONS: --failures=2
// What a program may keep or do with what it kept: addresses of variables and functions, pointers it
// sets anew, pointers it only looks at, blocks of static constructors made in each execution.
#include <mutex>
#include <string>
#include <tidemark.h>
#include <vector>
struct shape {
  virtual int sides() const { return 3; }
  virtual ~shape() {}
};
static int variable = 5;
static int function() { return variable; }
static std::vector<std::string> names(20, "allocated by a constructor before main");
struct root {
  long valid;
  int *variable;
  int (*function)();
  std::mutex *lock;
  shape figure;
};
int main() {
  root *pm = static_cast<root *>(tidemark_region("root", sizeof(root)));
  std::mutex *before = pm->lock;
  pm->lock = new std::mutex;
  if (before == pm->lock)
    return 1;
  std::lock_guard<std::mutex> guard(*pm->lock);
  if (names[7].size() != 38)
    return 2;
  if (pm->valid) {
    const shape *volatile s = &pm->figure;
    return *pm->variable + pm->function() + s->sides() != 13;
  }
  pm->variable = &variable;
  pm->function = function;
  new (&pm->figure) shape;
  __builtin_ia32_clflush(pm);
  __builtin_ia32_clflush(&pm->figure);
  pm->valid = 1;
  return 0;
}
