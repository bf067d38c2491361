// EXPECT: none 0
// Test frameworks catch everything while a test runs, and then put it back.
#include <signal.h>
static const int all[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTERM, SIGINT};
static void handler(int sig) {
  (void)sig;
}
int main(void) {
  struct sigaction a = {.sa_handler = handler, .sa_flags = SA_ONSTACK}, old[7], now;
  for (int i = 0; i < 7; i++)
    if (sigaction(all[i], &a, &old[i]))
      return 1;
  for (int i = 0; i < 7; i++)
    if (sigaction(all[i], &old[i], &now) || now.sa_handler != handler)
      return 2;
  return 0;
}
