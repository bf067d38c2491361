// EXPECT: abort 1
// MESSAGE: abort called
#include <cstdlib>
int main(int argc, char **) {
  try {
    throw argc;
  } catch (int n) {
    if (n)
      std::abort(); // HERE
  }
}
