// EXPECT: segfault 1
static int depth(volatile int *previous) {
  volatile int here = *previous + 1;
  return depth(&here) + here;
}
int main(void) {
  volatile int zero = 0;
  return depth(&zero);
}
