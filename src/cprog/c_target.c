#include "cprog/c_target.h"
#include <string.h>

static bool is_store(enum c_half h) {
  return h == HALF_STORE || h == HALF_RMW_STORE;
}

static bool is_rmw(enum c_half h) {
  return h == HALF_RMW_LOAD || h == HALF_RMW_STORE;
}

static bool acquires(enum cir_order o) {
  return o == ORDER_ACQUIRE || o == ORDER_ACQ_REL || o == ORDER_SEQ_CST;
}

static bool releases(enum cir_order o) {
  return o == ORDER_RELEASE || o == ORDER_ACQ_REL || o == ORDER_SEQ_CST;
}

static struct c_fence_event no_fence(enum c_half half, enum cir_order order) {
  (void)half, (void)order;
  return (struct c_fence_event){0};
}

static struct c_fence_event tagged(enum tag tag) {
  return (struct c_fence_event){.exists = true, .tags = tags_of(tag)};
}

/* ---- no architecture: sc and the like ----------------------------------------------------- */

static struct tags plain_access(enum c_half half, enum cir_order order) {
  (void)half, (void)order;
  return (struct tags){{0}};
}

static struct c_fence_event plain_fence(enum c_fence fence, enum cir_order order) {
  (void)fence, (void)order;
  return (struct c_fence_event){0};
}

/* ---- x86: a sequentially consistent store drains the buffer -------------------------------- */

static struct tags x86_access(enum c_half half, enum cir_order order) {
  (void)order;
  struct tags t = {{0}};
  if (is_rmw(half))
    tags_add(&t, TAG_A); /* what some models call locked accesses */
  return t;
}

static struct c_fence_event x86_after(enum c_half half, enum cir_order order) {
  bool drains = half == HALF_STORE && order == ORDER_SEQ_CST;
  return (struct c_fence_event){.exists = drains, .flavour = FLAVOUR_MFENCE};
}

static struct c_fence_event x86_fence(enum c_fence fence, enum cir_order order) {
  bool full = fence == FENCE_FULL || (fence == FENCE_C11 && order == ORDER_SEQ_CST);
  return (struct c_fence_event){.exists = full, .flavour = FLAVOUR_MFENCE};
}

/* ---- C11 ---------------------------------------------------------------------------------- */

static struct tags c11_access(enum c_half half, enum cir_order order) {
  if (order == ORDER_NA)
    return tags_of(TAG_NA);
  struct tags t = tags_of(order == ORDER_SEQ_CST               ? TAG_SC
                          : !is_store(half) && acquires(order) ? TAG_ACQ
                          : is_store(half) && releases(order)  ? TAG_REL
                                                               : TAG_RLX);
  tags_add(&t, TAG_A);
  if (is_rmw(half))
    tags_add(&t, TAG_RMW);
  return t;
}

static struct c_fence_event c11_fence(enum c_fence fence, enum cir_order order) {
  if (fence != FENCE_C11)
    return tagged(fence == FENCE_FULL ? TAG_SC : fence == FENCE_READ ? TAG_ACQ : TAG_REL);
  static const enum tag tags[CIR_ORDERS] = {[ORDER_ACQUIRE] = TAG_ACQ,
                                            [ORDER_RELEASE] = TAG_REL,
                                            [ORDER_ACQ_REL] = TAG_ACQ_REL,
                                            [ORDER_SEQ_CST] = TAG_SC};
  return order <= ORDER_RELAXED ? (struct c_fence_event){0} : tagged(tags[order]);
}

/* ---- AArch64: load-acquire, store-release, atomic instructions ----------------------------- */

static struct tags aarch64_access(enum c_half half, enum cir_order order) {
  struct tags t = {{0}};
  if (!is_store(half) && acquires(order))
    tags_add(&t, TAG_A);
  if (is_store(half) && releases(order))
    tags_add(&t, TAG_L);
  if (is_rmw(half))
    tags_add(&t, TAG_X);
  return t;
}

static struct c_fence_event aarch64_barrier(enum c_fence fence, enum cir_order order, enum tag full,
                                            enum tag loads, enum tag stores) {
  if (fence == FENCE_READ || (fence == FENCE_C11 && order == ORDER_ACQUIRE))
    return tagged(loads);
  if (fence == FENCE_WRITE)
    return tagged(stores);
  bool weak = fence == FENCE_C11 && order <= ORDER_RELAXED;
  return weak ? (struct c_fence_event){0} : tagged(full);
}

/* Compilers write DMB ISH, but all threads are in one domain anyway, and there are models that flag
 * barriers with a domain as deprecated: a flag is a violation. */
static struct c_fence_event aarch64_fence(enum c_fence fence, enum cir_order order) {
  return aarch64_barrier(fence, order, TAG_DMB_SY, TAG_DMB_LD, TAG_DMB_ST);
}

static struct c_fence_event aarch64_inner_fence(enum c_fence fence, enum cir_order order) {
  return aarch64_barrier(fence, order, TAG_DMB_ISH, TAG_DMB_ISHLD, TAG_DMB_ISHST);
}

/* ---- RISC-V: fences around loads and stores, amo.aq and amo.rl ------------------------------ */

static struct tags riscv_access(enum c_half half, enum cir_order order) {
  struct tags t = {{0}};
  if (!is_rmw(half))
    return t;
  tags_add(&t, TAG_AMO);
  tags_add(&t, TAG_X);
  if (acquires(order) && releases(order)) /* amo.aq.rl, as in litmus tests */
    tags_add(&t, TAG_SC_BITS);
  else if (acquires(order) && !is_store(half))
    tags_add(&t, TAG_ACQ_BIT);
  else if (releases(order) && is_store(half))
    tags_add(&t, TAG_REL_BIT);
  return t;
}

static struct c_fence_event riscv_before(enum c_half half, enum cir_order order) {
  if (half == HALF_LOAD && order == ORDER_SEQ_CST)
    return tagged(TAG_FENCE_RW_RW);
  if (half == HALF_STORE && releases(order))
    return tagged(TAG_FENCE_RW_W);
  /* fetch-and-op with seq_cst is amo.aqrl: ordered with everything around it */
  return is_rmw(half) && order == ORDER_SEQ_CST && half == HALF_RMW_LOAD
             ? tagged(TAG_FENCE_RW_RW)
             : (struct c_fence_event){0};
}

static struct c_fence_event riscv_after(enum c_half half, enum cir_order order) {
  if (half == HALF_LOAD && acquires(order))
    return tagged(TAG_FENCE_R_RW);
  return half == HALF_RMW_STORE && order == ORDER_SEQ_CST ? tagged(TAG_FENCE_RW_RW)
                                                          : (struct c_fence_event){0};
}

static struct c_fence_event riscv_fence(enum c_fence fence, enum cir_order order) {
  if (fence != FENCE_C11)
    return tagged(fence == FENCE_FULL   ? TAG_FENCE_RW_RW
                  : fence == FENCE_READ ? TAG_FENCE_R_R
                                        : TAG_FENCE_W_W);
  static const enum tag tags[CIR_ORDERS] = {[ORDER_ACQUIRE] = TAG_FENCE_R_RW,
                                            [ORDER_RELEASE] = TAG_FENCE_RW_W,
                                            [ORDER_ACQ_REL] = TAG_FENCE_TSO,
                                            [ORDER_SEQ_CST] = TAG_FENCE_RW_RW};
  return order <= ORDER_RELAXED ? (struct c_fence_event){0} : tagged(tags[order]);
}

/* ---- the Linux kernel's model --------------------------------------------------------------- */

static struct tags lkmm_access(enum c_half half, enum cir_order order) {
  if (order == ORDER_NA)
    return (struct tags){{0}};
  bool full = is_rmw(half) && order == ORDER_SEQ_CST; /* by barriers around it */
  bool acquire = !is_store(half) && acquires(order), release = is_store(half) && releases(order);
  struct tags t = tags_of(full      ? TAG_ONCE
                          : acquire ? TAG_ACQUIRE
                          : release ? TAG_RELEASE
                                    : TAG_ONCE);
  if (is_rmw(half))
    tags_add(&t, TAG_RMW);
  return t;
}

static struct c_fence_event lkmm_before(enum c_half half, enum cir_order order) {
  bool full = order == ORDER_SEQ_CST && (half == HALF_RMW_LOAD || half == HALF_STORE);
  return full ? tagged(TAG_MB) : (struct c_fence_event){0};
}

static struct c_fence_event lkmm_after(enum c_half half, enum cir_order order) {
  bool full = order == ORDER_SEQ_CST && (half == HALF_RMW_STORE || half == HALF_STORE);
  return full ? tagged(TAG_MB) : (struct c_fence_event){0};
}

static struct c_fence_event lkmm_fence(enum c_fence fence, enum cir_order order) {
  static const enum tag tags[] = {[FENCE_FULL] = TAG_MB,
                                  [FENCE_READ] = TAG_RMB,
                                  [FENCE_WRITE] = TAG_WMB,
                                  [FENCE_BEFORE_ATOMIC] = TAG_BEFORE_ATOMIC,
                                  [FENCE_AFTER_ATOMIC] = TAG_AFTER_ATOMIC,
                                  [FENCE_AFTER_SPINLOCK] = TAG_AFTER_SPINLOCK,
                                  [FENCE_AFTER_UNLOCK_LOCK] = TAG_AFTER_UNLOCK_LOCK,
                                  [FENCE_RCU_LOCK] = TAG_RCU_LOCK,
                                  [FENCE_RCU_UNLOCK] = TAG_RCU_UNLOCK,
                                  [FENCE_RCU_WAIT] = TAG_SYNC_RCU};
  if (fence != FENCE_C11)
    return tagged(tags[fence]);
  bool weak = fence == FENCE_C11 && order <= ORDER_RELAXED;
  return weak ? (struct c_fence_event){0} : tagged(TAG_MB);
}

/* ---- Power: the leading-sync scheme of compilers --------------------------------------------- */

/* An isync stands behind a branch on what has been read (c_depend.h): weaker than lwsync, which some
 * compilers take instead for read-modify-writes. */
static struct c_fence_event power_before(enum c_half half, enum cir_order order) {
  bool read = half == HALF_LOAD, last = half == HALF_RMW_STORE;
  if (order == ORDER_SEQ_CST && !last)
    return tagged(TAG_SYNC);
  return releases(order) && !read && !last ? tagged(TAG_LWSYNC) : (struct c_fence_event){0};
}

static struct c_fence_event power_after(enum c_half half, enum cir_order order) {
  return acquires(order) && half != HALF_STORE && half != HALF_RMW_LOAD ? tagged(TAG_ISYNC)
                                                                        : (struct c_fence_event){0};
}

static struct c_fence_event power_fence(enum c_fence fence, enum cir_order order) {
  if (fence == FENCE_C11 && order <= ORDER_RELAXED)
    return (struct c_fence_event){0};
  bool light = fence == FENCE_READ || fence == FENCE_WRITE;
  return tagged(light || (fence == FENCE_C11 && order != ORDER_SEQ_CST) ? TAG_LWSYNC : TAG_SYNC);
}

/* ---- Arm before version 8: barriers ----------------------------------------------------------- */

static struct c_fence_event arm_barrier(bool exists) {
  struct tags t = tags_of(TAG_DMB_ISH);
  tags_add(&t, TAG_DMB);
  return (struct c_fence_event){.exists = exists, .tags = t};
}

static struct c_fence_event arm_before(enum c_half half, enum cir_order order) {
  return arm_barrier(releases(order) && (half == HALF_STORE || half == HALF_RMW_LOAD));
}

static struct c_fence_event arm_after(enum c_half half, enum cir_order order) {
  return arm_barrier(half == HALF_STORE ? order == ORDER_SEQ_CST
                                        : acquires(order) && half != HALF_RMW_LOAD);
}

static struct c_fence_event arm_fence(enum c_fence fence, enum cir_order order) {
  return fence == FENCE_WRITE ? tagged(TAG_DMB_ST)
                              : arm_barrier(fence != FENCE_C11 || order > ORDER_RELAXED);
}

/* ---- which ---------------------------------------------------------------------------------- */

/* The first target of which the model uses one of the words, and one of the others if there are any;
 * the last one if there is none. */
static const struct {
  struct c_target target;
  const char *words[8], *others[4];
} targets[] = {
    {{"lkmm", lkmm_access, lkmm_before, lkmm_after, lkmm_fence, false, true, false, true},
     {"Mb", "Rmb", "Wmb", "Rcu-lock", "Acquire"},
     {NULL}},
    {{"c11", c11_access, no_fence, no_fence, c11_fence, false, false, true, true},
     {"RLX", "ACQ", "REL", "ACQ_REL", "SC", "NA"},
     {NULL}},
    {{"aarch64", aarch64_access, no_fence, no_fence, aarch64_fence, true, false, false, false},
     {"DMB.SY"},
     {"A", "L", "Q"}},
    {{"aarch64", aarch64_access, no_fence, no_fence, aarch64_inner_fence, true, false, false,
      false},
     {"DMB.ISH", "DMB.ISHLD"},
     {"A", "L", "Q"}},
    {{"arm", plain_access, arm_before, arm_after, arm_fence, false, false, false, true},
     {"DMB", "DMB.ISH"},
     {NULL}},
    {{"power", plain_access, power_before, power_after, power_fence, false, false, false, true},
     {"LWSYNC", "lwsync"},
     {NULL}},
    {{"riscv", riscv_access, riscv_before, riscv_after, riscv_fence, false, false, false, false},
     {"Fence.rw.rw", "Fence.r.rw", "Fence.tso"},
     {NULL}},
    {{"x86", x86_access, no_fence, x86_after, x86_fence, true, false, false, false},
     {"MFENCE", "mfence"},
     {NULL}},
    {{"sc", plain_access, no_fence, no_fence, plain_fence, true, false, false, false},
     {NULL},
     {NULL}}};

enum { TARGETS = sizeof targets / sizeof *targets };

bool c_target_has_orders(const struct c_target *t) {
  return t->fence != plain_fence;
}

const char *c_target_names(void) {
  return "sc, x86, c11, aarch64, arm, power, riscv or lkmm";
}

static bool mentions(const struct cat_node *n, const char *name) {
  if (!n)
    return false;
  if (n->text && !strcmp(n->text, name))
    return true;
  for (int i = 0; i < n->args.length; i++)
    if (mentions(n->args.data[i], name))
      return true;
  for (int i = 0; i < n->bindings.length; i++)
    if (mentions(n->bindings.data[i].body, name))
      return true;
  return mentions(n->arg[0], name) || mentions(n->arg[1], name) || mentions(n->set, name);
}

/* let name = ...: what the model itself gives this name to is no tag. */
static bool defines(const struct cat_item *item, const char *name) {
  for (int b = 0; b < item->bindings.length; b++) {
    const char *defined = item->bindings.data[b].name;
    if (item->kind == ITEM_LET && defined && !strcmp(defined, name))
      return true;
  }
  return false;
}

static bool items_mention(const struct cat_item *items, int count, const char *name) {
  for (int i = 0; i < count; i++) {
    for (int b = 0; b < items[i].bindings.length; b++)
      if (mentions(items[i].bindings.data[b].body, name))
        return true;
    for (int c = 0; c < items[i].clauses.length; c++)
      if (items_mention(items[i].clauses.data[c].items, items[i].clauses.data[c].item_count, name))
        return true;
    if (mentions(items[i].body, name) || items_mention(items[i].items, items[i].item_count, name))
      return true;
    if (defines(&items[i], name))
      return false;
  }
  return false;
}

static bool model_mentions(const struct model *m, const char *const *names) {
  while (*names && !items_mention(m->items, m->item_count, *names))
    names++;
  return *names != NULL;
}

const struct c_target *c_target_of_model(const struct model *m) {
  for (int i = 0; i < TARGETS - 1; i++)
    if (model_mentions(m, targets[i].words) &&
        (!*targets[i].others || model_mentions(m, targets[i].others)))
      return &targets[i].target;
  return &targets[TARGETS - 1].target;
}

const struct c_target *c_target_find(const char *name, const struct model *m) {
  const struct c_target *first = NULL;
  for (int i = 0; i < TARGETS; i++) {
    if (strcmp(targets[i].target.name, name) != 0)
      continue;
    if (model_mentions(m, targets[i].words))
      return &targets[i].target;
    first = first ? first : &targets[i].target;
  }
  return first;
}

bool c_model_joins_parts(const struct model *m) {
  static const char *const names[] = {"sm", "si", "same-instance", NULL};
  return model_mentions(m, names);
}

bool c_model_knows_control(const struct model *m) {
  static const char *const names[] = {"ctrl", "pick-ctrl-dep", "pick-basic-dep", NULL};
  return model_mentions(m, names);
}

const char *c_order_name(enum cir_order order) {
  static const char *const names[] = {"none",
                                      "memory_order_relaxed",
                                      "memory_order_acquire",
                                      "memory_order_release",
                                      "memory_order_acq_rel",
                                      "memory_order_seq_cst"};
  return names[order];
}
