/* The weakest orders and the fewest fences with which a C program still verifies.
 *
 * Every place of the source that is executed and asks for an order is tried with weaker ones, fences first with none
 * at all; the first that verifies stays.  Since weakening never makes a program right, the result
 * cannot be weakened at any one place. */
#ifndef CPROG_C_ORDERS_H
#define CPROG_C_ORDERS_H

#include "cprog/c_check.h"

struct c_order_change {
  struct place place;
  enum cir_order from, to;
  enum cir_order failure; /* compare-and-exchange: what its failure order becomes */
  bool is_fence, removed;
};

typedef LIST(struct c_order_change) c_order_changes;

/* False and *d on error.  `before` is what the program gives as it is: the verdict stays, and nobody
 * may begin to wait for ever. */
bool c_minimise_orders(const struct c_module *m, const struct c_options *o,
                       const struct model *model, const struct c_result *before, struct arena *a,
                       c_order_changes *changes, int *trials, struct diag *d);

#endif
