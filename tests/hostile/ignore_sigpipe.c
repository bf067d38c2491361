// EXPECT: none 0
#include <signal.h>
int main(void) {
  if (signal(SIGPIPE, SIG_IGN) != SIG_DFL)
    return 1;
  return raise(SIGPIPE);
}
