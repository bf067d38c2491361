// EXPECT: none 0
// A few descriptors are lost in each of thousands of executions.
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
int main(void) {
  int first = open("/dev/null", O_RDONLY);
  FILE *f = fopen("/proc/self/status", "r");
  int copy = dup(first);
  char line[64];
  if (first != 3 || !f || copy != 5 || !fgets(line, sizeof line, f))
    return 1;
  return 0;
}
