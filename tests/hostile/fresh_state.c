// EXPECT: none 0
// Everything a previous execution left behind in libc must be gone.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
static int count;
int main(void) {
  static char text[] = "a,b,c";
  if (errno || count++)
    return 1;
  if (strcmp(strtok(text, ","), "a") || strcmp(strtok(NULL, ","), "b"))
    return 3;
  if (rand() != 1804289383 || random() != 846930886)
    return 4;
  srand(7);
  if (time(NULL) != 1700000000 || clock() > 100)
    return 5;
  setvbuf(stdout, NULL, _IOFBF, 1 << 16);
  printf("something");
  errno = 17;
  return 0;
}
