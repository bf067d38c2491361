/* How something grows with the share that is done, and what it will probably be in the end.
 *
 * What a search costs need not be in proportion to how far it is: executions after the last failure
 * points read more than those after the first.  So what counts is by which factor it has grown while the
 * share doubled; it is taken to grow by that factor again. */
#ifndef BASE_CURVE_H
#define BASE_CURVE_H

#include "base/vec.h"

struct curve_point {
  double share, value;
};

struct curve {
  VEC(struct curve_point) points;
  double factor_max; /* it grows by no more while the share doubles; 0: not known */
};

/* So much at that share, in (0, 1).  Neither decreases. */
void curve_add(struct curve *c, double share, double value);

double curve_end(const struct curve *c); /* the value at share 1; 0: not known yet */

void curve_free(struct curve *c);

#endif
