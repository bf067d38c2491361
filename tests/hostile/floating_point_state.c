// EXPECT: none 0
// Rounding and exception masks changed by one execution are not there in the next.
#include <xmmintrin.h>
int main(void) {
  if (_mm_getcsr() != 0x1f80)
    return 1;
  _mm_setcsr(0x7f80);
  return 0;
}
