// EXPECT: hang 1
// Spends its time inside libc and the allocator.
#include <stdlib.h>
#include <string.h>
static char text[4096];
int main(void) {
  memset(text, 'x', sizeof text - 1);
  for (;;) {
    char *p = malloc(strlen(text));
    free(p);
  }
}
