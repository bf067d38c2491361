// EXPECT: abort 1
// MESSAGE: uncaught exception of type failed: not here
// STACK: body
#include <exception>
#include <thread>
struct base {
  virtual ~base() {}
  int x = 7;
};
struct failed : base, virtual std::exception {
  const char *what() const noexcept override { return "not\there"; }
};
__attribute__((noinline)) static void body(int n) {
  if (n)
    throw failed(); // HERE
}
int main(int argc, char **) {
  std::thread t(body, argc);
  t.join();
  return 0;
}
