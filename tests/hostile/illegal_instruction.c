// EXPECT: fatal-signal 1
int main(void) {
  __asm__ volatile("ud2");
  return 0;
}
