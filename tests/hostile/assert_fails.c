// EXPECT: assertion 1
#undef NDEBUG
#include <assert.h>
int main(int argc, char **argv) {
  (void)argv;
  assert(argc == 77);
  return 0;
}
