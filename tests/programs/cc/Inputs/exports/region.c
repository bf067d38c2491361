#include <tidemark.h>

int main(void) {
  long *cell = tidemark_region("cell", sizeof *cell);
  tidemark_outcome("%ld", *cell);
  *cell = 1;
  return 0;
}
