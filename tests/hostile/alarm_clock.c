// EXPECT: refused 3
#include <unistd.h>
int main(void) {
  alarm(1);
  for (;;)
    ;
}
