#include <omp.h>

int main(void) {
  int sum = 0, threads = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < 4; i++)
    sum += i;
#pragma omp parallel
#pragma omp master
  threads = omp_get_num_threads();
  return sum == 6 && threads > 1 ? 0 : 1;
}
