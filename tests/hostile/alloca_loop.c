// EXPECT: none 0
#include <alloca.h>
#include <string.h>
static int use(int n) {
  char *p = alloca((size_t)n);
  memset(p, n, (size_t)n);
  return p[n / 2];
}
int main(void) {
  int sum = 0;
  for (int i = 1; i < 20000; i += 500)
    sum += use(i);
  return sum == 12345678;
}
