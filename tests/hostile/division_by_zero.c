// EXPECT: fatal-signal 1
int main(int argc, char **argv) {
  (void)argv;
  volatile int zero = argc - argc, dividend = argc + 100;
  return dividend / zero;
}
