// EXPECT: segfault 1
// STACK: print main
#include <stdio.h>
__attribute__((noinline)) static int print(const char *volatile text) {
  return printf("%10s|\n", text) + 1; // HERE
}
int main(void) {
  return print((const char *)8) + 1;
}
