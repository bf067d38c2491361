/* A sort that divides its work: every thread creates two more.  They are created in any order, but nobody can tell: what
 * is left are the orders in which the leaves count themselves.  The bug: the halves are merged before the second one has
 * been sorted. */
#include "twin.h"

#ifdef FIXED
#define DEPTH 3
#else
#define DEPTH 2
#endif
#define LENGTH (1 << DEPTH)

struct part {
  int begin, length;
};

static int values[LENGTH];
static atomic_int leaves;

static void merge(const struct part *low, const struct part *high) {
  int merged[LENGTH], n = 0, i = low->begin, k = high->begin;
  int i_end = i + low->length, k_end = k + high->length;
  while (i < i_end || k < k_end)
    merged[n++] = k == k_end || (i < i_end && values[i] <= values[k]) ? values[i++] : values[k++];
  for (int m = 0; m < n; m++)
    values[low->begin + m] = merged[m];
}

static void *sort(void *argument) {
  struct part *p = argument, low = {p->begin, p->length / 2}, high = {p->begin + p->length / 2, p->length / 2};
  pthread_t first, second;
  if (p->length == 1) {
    if (p->begin < 2)
      leaves++;
    return NULL;
  }
  pthread_create(&first, NULL, sort, &low);
  pthread_create(&second, NULL, sort, &high);
  pthread_join(first, NULL);
#ifdef FIXED
  pthread_join(second, NULL);
  merge(&low, &high);
#else
  if (p->length < LENGTH) {
    pthread_join(second, NULL);
    merge(&low, &high);
  } else {
    merge(&low, &high);
    pthread_join(second, NULL);
  }
#endif
  return NULL;
}

int main(void) {
  struct part whole = {0, LENGTH};
  for (int i = 0; i < LENGTH; i++)
    values[i] = LENGTH - i;
  sort(&whole);
  assert(leaves == 2);
}
