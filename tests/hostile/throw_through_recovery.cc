// EXPECT: none 0
// Exceptions cross frames with destructors, in every execution.
#include <stdexcept>
#include <string>
#include <vector>
static int alive;
struct guard {
  guard() { alive++; }
  ~guard() { alive--; }
};
static void recover(int depth) {
  guard g;
  std::vector<std::string> strings(3, "some text that does not fit a short string");
  if (depth == 0)
    throw std::runtime_error("recovery failed");
  recover(depth - 1);
}
int main() {
  try {
    recover(10);
  } catch (const std::exception &e) {
    return alive != 0 || std::string(e.what()) != "recovery failed";
  }
  return 2;
}
