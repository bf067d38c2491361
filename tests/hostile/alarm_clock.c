// EXPECT: refused 3
#include <signal.h>
#include <unistd.h>
static void ring(int sig) {
  _exit(sig == SIGALRM ? 0 : 1);
}
int main(void) {
  signal(SIGALRM, ring);
  alarm(1);
  for (;;)
    ;
}
