// EXPECT: none 0
// The clock belongs to everybody on the machine, also if root checks a program.  No such time exists: the kernel would say
// EINVAL to root.
#include <errno.h>
#include <sys/time.h>
#include <sys/timex.h>
#include <time.h>
int main(void) {
  struct timespec never = {-1, 0};
  struct timeval never_either = {-1, 0};
  struct timex tick = {.modes = ADJ_TICK, .tick = 0};
  if (clock_settime(CLOCK_REALTIME, &never) == 0 || errno != EPERM)
    return 1;
  if (settimeofday(&never_either, NULL) == 0 || errno != EPERM)
    return 2;
  return adjtimex(&tick) != -1 || errno != EPERM;
}
