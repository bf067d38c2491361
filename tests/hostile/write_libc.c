// EXPECT: none 0
// Overwrites libc's own variables; the next execution must find them as new.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
  if (rand() != 1804289383 || stdin->_fileno != 0)
    return 1;
  memset(stdin, 0x55, 24);
  stdin->_fileno = 77;
  return 0;
}
