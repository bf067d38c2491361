/* Work on memory that is not watched: what instrumentation costs where it has nothing to do.
 * LOOP ROUNDS: fill, sort and sum an array, ROUNDS times. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 1 << 14 };

static void sift(uint64_t *heap, size_t root, size_t count) {
  for (size_t child; (child = 2 * root + 1) < count; root = child) {
    if (child + 1 < count && heap[child] < heap[child + 1])
      child++;
    if (heap[root] >= heap[child])
      return;
    uint64_t swapped = heap[root];
    heap[root] = heap[child];
    heap[child] = swapped;
  }
}

static void sort(uint64_t *heap, size_t count) {
  for (size_t i = count / 2; i-- > 0;)
    sift(heap, i, count);
  for (size_t i = count; i-- > 1;) {
    uint64_t largest = heap[0];
    heap[0] = heap[i];
    heap[i] = largest;
    sift(heap, 0, i);
  }
}

int main(int argc, char **argv) {
  unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 100;
  uint64_t *array = malloc(COUNT * sizeof *array);
  uint64_t state = 1, sum = 0;
  if (array == NULL)
    return 3;
  while (rounds-- > 0) {
    for (size_t i = 0; i < COUNT; i++)
      array[i] = state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    sort(array, COUNT);
    for (size_t i = 0; i < COUNT; i++)
      sum = sum * 31 + array[i];
  }
  printf("%llx\n", (unsigned long long)sum);
  return 0;
}
