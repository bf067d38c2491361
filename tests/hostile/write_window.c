// EXPECT: illegal-access 1
// Inside the watched window, outside any region.
int main(void) {
  int *volatile p = (int *)0x10ff00000000;
  *p = 1;
  return 0;
}
