// EXPECT: none 0
#include <stdio.h>
#include <unistd.h>
int main(void) {
  if (isatty(0) < 0 || write(2, "", 0) != 0 || write(1, "", 0) != 0)
    return 1;
  fclose(stdin);
  close(1);
  close(2);
  return 0;
}
