// EXPECT: none 0
// Days of waiting are long, but they end.
#include <assert.h>
#include <time.h>
#include <unistd.h>
int main(void) {
  time_t begin = time(NULL);
  for (int day = 0; day < 7; day++)
    sleep(24 * 3600);
  assert(time(NULL) - begin >= 7 * 24 * 3600);
}
