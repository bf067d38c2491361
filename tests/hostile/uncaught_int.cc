// EXPECT: abort 1
// MESSAGE: uncaught exception of type int
// STACK: deep f main
// The stack is unwound up to f before std::terminate is called.
struct guard {
  volatile int n = 0;
  ~guard() { n = 1; }
};
__attribute__((noinline)) static int deep(int n) {
  guard g;
  if (n)
    throw n; // HERE
  return g.n;
}
__attribute__((noinline)) static int f(int n) noexcept {
  return deep(n) + 1;
}
int main(int argc, char **) {
  return f(argc) + 1;
}
