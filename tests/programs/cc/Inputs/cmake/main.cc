#include <iostream>
#include <string>
#include <thread>

extern "C" void store_set(int cell, long value);
extern "C" long store_get(int cell);
std::string name_of(long value);

int main() {
  std::thread writer([] { store_set(3, 42); });
  writer.join();
  std::cout << name_of(store_get(3)) << "\n";
  return store_get(3) == 42 ? 0 : 1;
}
