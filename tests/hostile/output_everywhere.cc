// EXPECT: none 0
// Constructors, atexit handlers and destructors print.
#include <cstdio>
#include <cstdlib>
#include <iostream>
struct loud {
  loud() { std::cout << "constructed" << std::endl; }
  ~loud() { std::printf("destroyed\n"); }
};
static loud object;
__attribute__((constructor)) static void begin() {
  std::printf("constructor function\n");
}
__attribute__((destructor)) static void end() {
  std::printf("destructor function\n");
}
int main() {
  std::atexit([] { std::puts("atexit handler"); });
  std::cerr << "main\n";
}
