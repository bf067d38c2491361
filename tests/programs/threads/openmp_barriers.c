// Threads that only meet at barriers, count, and add up integers have one execution: in which order they come there is
// nobody's business.
// RUN: %tidemark_cc -fopenmp %s -o %t && %t
// RUN: env OMP_NUM_THREADS=4 %tidemark check --model=sc %t > %t.log 2>&1 && %FileCheck %s < %t.log
// CHECK: executions     1 covered by
// CHECK: no findings; the search is complete
#include <assert.h>

#define CELLS 8
#define ROUNDS 3

static int here[CELLS], there[CELLS];

int main(void) {
  int rounds = 0, sum = 0, parts = 0;
#pragma omp parallel
  for (int round = 0; round < ROUNDS; round++) {
#pragma omp for
    for (int i = 0; i < CELLS; i++)
      there[i] = 1 + here[i] + here[(i + 1) % CELLS];
#pragma omp for
    for (int i = 0; i < CELLS; i++)
      here[i] = there[i];
#pragma omp atomic
    rounds++;
#pragma omp barrier
  }
#pragma omp parallel reduction(+ : sum)
  {
#pragma omp for reduction(- : parts)
    for (int i = 0; i < CELLS; i++)
      parts -= 1;
    sum -= parts;
  }
  assert(parts == -CELLS && sum % CELLS == 0);
  assert(here[0] == (1 << ROUNDS) - 1 && rounds % ROUNDS == 0);
  return 0;
}
