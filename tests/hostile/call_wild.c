// EXPECT: segfault 1
int main(void) {
  void (*volatile f)(void) = (void (*)(void))0x4141414140;
  f();
  return 0;
}
