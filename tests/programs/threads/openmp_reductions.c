/* Several reductions of one loop whose threads meet behind it: what adds up, and what takes a lock.
 *
 * RUN: %tidemark_cc -O1 -fopenmp %s -o %t && %t
 * RUN: for m in sc tso; do %tidemark check --model=$m %t || exit 1; done
 */
#include <assert.h>
#include <stdbool.h>

int main(void) {
  int sum = 0, product = 1, bits = 0;
  bool all = true;
#pragma omp parallel num_threads(2)
  {
#pragma omp for reduction(+ : sum) reduction(* : product)
    for (int i = 1; i < 4; i++) {
      sum += i;
      product *= i;
    }
    assert(sum == 6 && product == 6);
#pragma omp for reduction(^ : bits) reduction(&& : all) schedule(guided)
    for (int i = 1; i < 4; i++) {
      bits ^= i;
      all = all && i;
    }
    assert(bits == 0 && all);
  }
}
