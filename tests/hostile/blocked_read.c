// EXPECT: deadlock 1
// Waits for input that never comes.
#include <unistd.h>
int main(void) {
  int ends[2];
  char c;
  if (pipe(ends))
    return 2;
  return (int)read(ends[0], &c, 1);
}
