// EXPECT: abort 1
#include <cstdlib>
struct bomb {
  ~bomb() { std::abort(); }
};
static bomb b;
int main() {
}
