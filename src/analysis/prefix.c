#include "analysis/prefix.h"

static bool same(const struct operation *a, const struct operation *b) {
  return a->kind == b->kind && a->lock == b->lock && a->drain == b->drain &&
         a->drained == b->drained && a->order == b->order && a->locked == b->locked &&
         a->way == b->way && a->begins == b->begins && a->thread == b->thread &&
         a->size == b->size && a->after == b->after && a->address == b->address &&
         a->block == b->block && a->also == b->also && a->site == b->site && a->code == b->code;
}

size_t prefix_length(const struct operation *a, size_t a_count, const struct operation *b,
                     size_t b_count, size_t known) {
  size_t n = known;
  n = n < a_count ? n : a_count;
  n = n < b_count ? n : b_count;
  while (n < a_count && n < b_count && same(&a[n], &b[n]))
    n++;
  return n;
}

uint32_t prefix_threads(const struct operation *operations, size_t count) {
  uint32_t threads = 1;
  for (size_t i = 0; i < count; i++)
    if (operations[i].thread >= threads)
      threads = operations[i].thread + 1u;
  return threads;
}
