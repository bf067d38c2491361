// EXPECT: none 0
// Deep, but with an end.
static int depth(int n) {
  volatile int here = n;
  return n ? depth(n - 1) + 1 : here;
}
int main(void) {
  return depth(5000) != 5000;
}
