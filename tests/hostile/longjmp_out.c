// EXPECT: none 0
#include <setjmp.h>
#include <stdlib.h>
static jmp_buf back;
static int compare(const void *a, const void *b) {
  if (*(const int *)a == 5 || *(const int *)b == 5)
    longjmp(back, 1);
  return *(const int *)a - *(const int *)b;
}
int main(void) {
  int v[] = {9, 8, 7, 6, 5, 4, 3, 2, 1};
  if (setjmp(back))
    return 0;
  qsort(v, 9, sizeof *v, compare);
  return 1;
}
