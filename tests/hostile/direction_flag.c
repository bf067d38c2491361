// EXPECT: segfault 1
// Leaves processor state behind that nobody expects.
int main(void) {
  __asm__ volatile("std");
  *(volatile int *)0x10 = 1;
  return 0;
}
