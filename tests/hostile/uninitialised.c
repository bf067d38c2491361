// EXPECT: none 0
// Reads memory it never wrote; what it finds is the same in every execution.
#include <stdio.h>
#include <stdlib.h>
static unsigned long sum_stack(void) {
  volatile unsigned char room[40000];
  unsigned long sum = 0;
  for (unsigned i = 0; i < sizeof room; i++)
    sum += room[i];
  for (unsigned i = 0; i < sizeof room; i++)
    room[i] = 0xee;
  return sum;
}
int main(void) {
  unsigned char *volatile block = malloc(5000);
  unsigned long sum = 0;
  for (int i = 0; i < 5000; i++)
    sum += block[i];
  for (int i = 0; i < 5000; i++)
    block[i] = 0xdd;
  printf("%lu\n", sum + sum_stack());
  return sum > 1000000;
}
