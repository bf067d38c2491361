/* The weakest orders and the fewest fences with which a C program still verifies.
 *
 * Every place of the source that asks for an order is tried with weaker ones, fences first with none
 * at all; the first that verifies stays.  Since weakening never makes a program right, the result
 * cannot be weakened at any one place. */
#ifndef AXIOM_C_ORDERS_H
#define AXIOM_C_ORDERS_H

#include "axiom/c_check.h"

struct c_order_change {
  struct place place;
  enum cir_order from, to;
  enum cir_order failure; /* compare-and-exchange: what its failure order becomes */
  bool is_fence, removed;
};

typedef LIST(struct c_order_change) c_order_changes;

/* False and *d on error.  The program must have this verdict as it is. */
bool c_minimise_orders(const struct c_module *m, const struct c_options *o,
                       const struct model *model, enum c_verdict verdict, struct arena *a,
                       c_order_changes *changes, int *trials, struct diag *d);

const char *c_order_name(enum cir_order order); /* "memory_order_acquire" */

#endif
