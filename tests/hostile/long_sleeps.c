// EXPECT: none 0
// Hours of waiting are no hang.
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
int main(void) {
  time_t begin = time(NULL);
  for (int i = 0; i < 20; i++)
    sleep(3600);
  return time(NULL) - begin < 72000;
}
