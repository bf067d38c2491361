/* What include/tidemark_linux.h leaves to the checker: barriers (and those of compilers that are the
 * same), RCU and spin locks of the kernel. */
#include "base/check.h"
#include "cprog/c_call.h"

/* ---- barriers ------------------------------------------------------------------------------ */

static void call_smp_mb(struct c_call *c) {
  c_call_fence(c, FENCE_FULL);
}

static void call_smp_rmb(struct c_call *c) {
  c_call_fence(c, FENCE_READ);
}

static void call_smp_wmb(struct c_call *c) {
  c_call_fence(c, FENCE_WRITE);
}

static void call_before_atomic(struct c_call *c) {
  c_call_fence(c, FENCE_BEFORE_ATOMIC);
}

static void call_after_atomic(struct c_call *c) {
  c_call_fence(c, FENCE_AFTER_ATOMIC);
}

static void call_after_spinlock(struct c_call *c) {
  c_call_fence(c, FENCE_AFTER_SPINLOCK);
}

static void call_after_unlock_lock(struct c_call *c) {
  c_call_fence(c, FENCE_AFTER_UNLOCK_LOCK);
}

/* ---- RCU ----------------------------------------------------------------------------------- */

static void call_rcu_lock(struct c_call *c) {
  c->x->rcu_sections++;
  c_call_fence(c, FENCE_RCU_LOCK);
}

static void call_rcu_unlock(struct c_call *c) {
  c->x->rcu_sections -= c->x->rcu_sections > 0;
  c_call_fence(c, FENCE_RCU_UNLOCK);
}

static void call_rcu_wait(struct c_call *c) {
  c_call_fence(c, FENCE_RCU_WAIT);
}

/* ---- spin locks ---------------------------------------------------------------------------- */

static struct tags both(enum tag a, enum tag b) {
  struct tags t = tags_of(a);
  tags_add(&t, b);
  return t;
}

/* The kernel's model has names for what locks do, and keeps more order between an unlock and the next
 * lock than between a release and an acquire.  A lock that is not free is only looked at. */
static void name_events(struct c_call *c, int first) {
  for (int i = first; c->x->target->has_rcu && i < c->x->p->stmts.length; i++) {
    struct stmt *s = &c->x->p->stmts.data[i];
    bool half = s->partner >= 0;
    if (s->kind == STMT_READ)
      s->tags = half ? both(TAG_LKR, TAG_ACQUIRE) : tags_of(TAG_LF);
    else if (s->kind == STMT_WRITE)
      s->tags = half ? tags_of(TAG_LKW) : both(TAG_UL, TAG_RELEASE);
    s->weak = s->tags;
    s->order_site = 0;
  }
}

static void as_spin_lock(struct c_call *c, const char *name) {
  int first = c->x->p->stmts.length;
  bool known = c_call_external(c->x, name, c->i, c->args, c->count, &c->result);
  CHECK(known, "%s is gone", name);
  name_events(c, first);
}

static void call_spin_lock(struct c_call *c) {
  as_spin_lock(c, "pthread_spin_lock");
}

static void call_spin_trylock(struct c_call *c) {
  as_spin_lock(c, "pthread_spin_trylock");
  c->result = c_equal(c->x->p, c->result, c_call_constant(c, 0));
}

static void call_spin_unlock(struct c_call *c) {
  as_spin_lock(c, "pthread_spin_unlock");
}

const struct c_external c_linux_externals[] = {
    {"llvm.x86.sse2.mfence", 0, call_smp_mb},
    {"tidemark_smp_mb", 0, call_smp_mb},
    {"tidemark_smp_rmb", 0, call_smp_rmb},
    {"tidemark_smp_wmb", 0, call_smp_wmb},
    {"tidemark_smp_mb_before_atomic", 0, call_before_atomic},
    {"tidemark_smp_mb_after_atomic", 0, call_after_atomic},
    {"tidemark_smp_mb_after_spinlock", 0, call_after_spinlock},
    {"tidemark_smp_mb_after_unlock_lock", 0, call_after_unlock_lock},
    {"tidemark_rcu_read_lock", 0, call_rcu_lock},
    {"tidemark_rcu_read_unlock", 0, call_rcu_unlock},
    {"tidemark_synchronize_rcu", 0, call_rcu_wait},
    {"tidemark_spin_lock", 1, call_spin_lock},
    {"tidemark_spin_trylock", 1, call_spin_trylock},
    {"tidemark_spin_unlock", 1, call_spin_unlock},
    {NULL, 0, NULL}};
