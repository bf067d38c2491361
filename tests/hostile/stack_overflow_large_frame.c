// EXPECT: segfault 1
// One frame that reaches far beyond the end of the stack.
static void fill(volatile char *from) {
  from[0] = 1;
}
int main(void) {
  volatile char room[12 << 20];
  void (*volatile call)(volatile char *) = fill;
  call(room);
  return room[0] != 1;
}
