/* A sampled schedule of many steps: each is a decision, and neither the descriptors that are open
 * meanwhile nor the time grow with all that came before.
 *
 * RUN: %tidemark_cc %s -o %t
 * RUN: (ulimit -n 300; ulimit -t 60; %tidemark check --model=cxl --schedule=random --runs=2 %t > %t.txt 2>&1) || (cat %t.txt; false)
 * RUN: %FileCheck %s < %t.txt
 *
 * CHECK: 2 schedules were sampled
 */
#include <fcntl.h>
#include <tidemark.h>

#define STEPS 30000

int main(void) {
  volatile long *p = tidemark_region("p", 4096);
  open("/dev/null", O_RDONLY);
  for (int i = 0; i < STEPS; i++)
    p[tidemark_machine() * 8] = i;
  return 0;
}
