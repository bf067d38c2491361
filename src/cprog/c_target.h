/* What becomes of C's atomics, orders and fences: the events that a model of a language or of a
 * processor knows.  A target is chosen by the names that the model uses. */
#ifndef CPROG_C_TARGET_H
#define CPROG_C_TARGET_H

#include "axiom/cat.h"
#include "axiom/program.h"
#include "cir/cir.h"

enum c_fence { /* of C11, with an order, or of Linux */
               FENCE_C11,
               FENCE_FULL,
               FENCE_READ,
               FENCE_WRITE,
               FENCE_BEFORE_ATOMIC, /* from here on full ones for all but the kernel's model */
               FENCE_AFTER_ATOMIC,
               FENCE_AFTER_SPINLOCK,
               FENCE_AFTER_UNLOCK_LOCK,
               FENCE_RCU_LOCK, /* RCU's are known to the kernel's model only */
               FENCE_RCU_UNLOCK,
               FENCE_RCU_WAIT
};

enum c_half { HALF_LOAD, HALF_STORE, HALF_RMW_LOAD, HALF_RMW_STORE };

struct c_fence_event {
  bool exists;
  enum stmt_flavour flavour;
  struct tags tags;
};

struct c_target {
  const char *name;
  struct tags (*access)(enum c_half half, enum cir_order order);
  /* fences that stand before and after an access of this kind */
  struct c_fence_event (*before)(enum c_half half, enum cir_order order);
  struct c_fence_event (*after)(enum c_half half, enum cir_order order);
  struct c_fence_event (*fence)(enum c_fence fence, enum cir_order order);
  bool locked; /* halves of read-modify-writes are `atomic` statements, failed ones included */
  bool has_rcu;
  bool
      has_births; /* memory that malloc gives must be known, by happens-before, to whoever uses it */
  bool by_outcome; /* a compare-and-exchange that fails is a load with an order of its own */
};

/* NULL if there is none.  Of two with one name, the one that suits the model. */
const struct c_target *c_target_find(const char *name, const struct model *m);
const struct c_target *c_target_of_model(const struct model *m);
const char *c_target_names(void);
bool c_target_has_orders(const struct c_target *t); /* all but sc */

/* Whether the model says that the parts of one access belong together. */
bool c_model_joins_parts(const struct model *m);

/* Does it say something about what depends on branches? */
bool c_model_knows_control(const struct model *m);

const char *c_order_name(enum cir_order order); /* "memory_order_acquire" */

#endif
