// EXPECT: segfault 1
int main(void) {
  char *volatile p = (char *)(void *)main;
  *p = 0x90;
  return 0;
}
