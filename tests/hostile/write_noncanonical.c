// EXPECT: segfault 1
int main(void) {
  int *volatile p = (int *)0xdeadbeefdeadbeef;
  *p = 1;
  return 0;
}
