// EXPECT: abort 1
static void f() noexcept {
  throw 42;
}
int main() {
  f();
}
