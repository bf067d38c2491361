// EXPECT: abort 1
// MESSAGE: pure virtual function called
// STACK: shape::init main
struct shape {
  shape() { init(); }
  virtual ~shape() {}
  __attribute__((noinline)) void init() {
    draw(); // HERE
    done = 1;
  }
  virtual void draw() = 0;
  volatile int done = 0;
};
struct square : shape {
  void draw() override {}
};
int main() {
  square s;
}
