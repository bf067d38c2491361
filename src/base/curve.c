#include "base/curve.h"

#define NEXT 1.02     /* a point is kept if the share has grown by that factor */
#define POINTS_MIN 8  /* fewer say nothing */
#define FACTOR_MAX 16 /* for a share that doubles */

void curve_add(struct curve *c, double share, double value) {
  if (share <= 0 || (c->points.length && share < vec_last(&c->points).share * NEXT))
    return;
  vec_push(&c->points, ((struct curve_point){share, value}));
}

/* pre: the share is not less than that of the first point */
static double value_at(const struct curve *c, double share) {
  size_t i = 0;
  while (i + 2 < c->points.length && c->points.data[i + 1].share < share)
    i++;
  const struct curve_point *a = &c->points.data[i], *b = a + 1;
  return a->value + (b->value - a->value) * (share - a->share) / (b->share - a->share);
}

double curve_end(const struct curve *c) {
  if (c->points.length < POINTS_MIN || vec_last(&c->points).share < 2 * c->points.data[0].share)
    return 0;
  struct curve_point last = vec_last(&c->points);
  double before = value_at(c, last.share / 2);
  double factor = before > 0 ? last.value / before : FACTOR_MAX;
  factor = factor > FACTOR_MAX ? FACTOR_MAX : factor;
  for (; last.share * 2 <= 1; last.share *= 2)
    last.value *= factor;
  return last.value * (1 + (factor - 1) * (1 / last.share - 1));
}

void curve_free(struct curve *c) {
  vec_free(&c->points);
}
