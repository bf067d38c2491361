// EXPECT: none 0
// The same "random" numbers in every execution: their sum is the exit status the first time.
#include <cstdio>
#include <fstream>
#include <random>
int main() {
  std::random_device device;
  std::ifstream urandom("/dev/urandom", std::ios::binary);
  char bytes[8];
  urandom.read(bytes, sizeof bytes);
  std::printf("%u %u %d\n", device(), device(), bytes[3]);
  return device() == 0 && bytes[0] == 0 && bytes[1] == 0;
}
