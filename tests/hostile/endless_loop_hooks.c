// EXPECT: hang 1
// Every turn is an atomic operation: the step budget ends it.
#include <stdatomic.h>
static atomic_int flag;
int main(void) {
  while (!atomic_load(&flag))
    ;
  return 0;
}
