// EXPECT: segfault 1
int main(void) {
  int *volatile p = (int *)0x123456789000;
  *p = 1;
  return 0;
}
