// EXPECT: fatal-signal 1
int main(void) {
  __asm__ volatile("int3");
  return 0;
}
