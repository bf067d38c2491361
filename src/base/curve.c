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

/* pre: x >= 1 */
static double root(double x) {
  double r = x;
  for (double next; (next = (r + x / r) / 2) < r * (1 - 1e-9);)
    r = next;
  return r;
}

#define DIGITS 16 /* of the logarithm */

/* By that factor for each doubling, in a growth to x times as much: factor to the power of log2(x). */
static double grown(double factor, double x) {
  double all = 1;
  while (x >= 2) {
    all *= factor;
    x /= 2;
  }
  for (int i = 0; i < DIGITS; i++) {
    factor = root(factor);
    x *= x;
    if (x >= 2) {
      all *= factor;
      x /= 2;
    }
  }
  return all;
}

double curve_end(const struct curve *c) {
  if (c->points.length < POINTS_MIN || vec_last(&c->points).share < 2 * c->points.data[0].share)
    return 0;
  struct curve_point last = vec_last(&c->points);
  double before = value_at(c, last.share / 2);
  double most = c->factor_max > 0 ? c->factor_max : FACTOR_MAX;
  double factor = before > 0 ? last.value / before : most;
  factor = factor > most ? most : factor;
  return last.value * grown(factor, 1 / last.share);
}

void curve_free(struct curve *c) {
  vec_free(&c->points);
}
