// EXPECT: illegal-access 1
int main(void) {
  int *volatile p = (int *)0x10ff00001230;
  return *p;
}
