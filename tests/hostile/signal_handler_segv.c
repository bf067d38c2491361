// EXPECT: refused 3
#include <signal.h>
static void handler(int sig) {
  (void)sig;
}
int main(void) {
  struct sigaction a = {.sa_handler = handler};
  return sigaction(SIGSEGV, &a, 0);
}
