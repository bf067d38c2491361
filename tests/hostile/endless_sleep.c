// EXPECT: hang 1
// SAYS: no end after a day of the program's time
// Waiting takes no time here, and there is nothing else that counts.
#include <unistd.h>
int main(void) {
  for (;;)
    sleep(1); // HERE
}
