// EXPECT: none 0
#include <stdlib.h>
int main(void) {
  if (getenv("TIDEMARK_HOSTILE"))
    return 1;
  return setenv("TIDEMARK_HOSTILE", "1", 1) || !getenv("TIDEMARK_HOSTILE");
}
