/* Operations: what a thread, or its store buffer, is about to do, as far as others can notice.  The vocabulary of
 * schedules.
 *
 * A schedule is a sequence of operations.  Two neighbours of different threads that do not depend on each other can
 * change places without anybody noticing, so one order of them is enough.  What depends on what is the heart of every
 * reduction; there are four relations, one for each way to explore:
 *
 *      operations_independent   pm, state by state          operations_commute_pm   pm by traces
 *      operations_apart         cxl                         operations_commute      ordinary programs (sc, tso)
 */
#ifndef EVENT_OPERATION_H
#define EVENT_OPERATION_H

#include "abi/abi.h"
#include <stdbool.h>
#include <stdint.h>

enum operation_kind {
  OPERATION_NONE,  /* nothing that others could notice: a thread's start, tidemark_choose */
  OPERATION_READ,  /* of bytes */
  OPERATION_WRITE, /* of bytes, also as part of a locked instruction */
  OPERATION_FLUSH, /* asks for the write-back of a line as it is now */
  OPERATION_FENCE, /* waits for write-backs that the thread has asked for */
  OPERATION_LOCK,  /* on a lock, semaphore, ... at address; 0: on any of them */
  OPERATION_FREE,  /* gives a heap block back; only in ordinary programs */
};

/* What an operation on a lock does to who may go on. */
enum operation_lock {
  OPERATION_LOCK_OTHER,
  OPERATION_LOCK_NUMBER, /* only its order with others like it matters: it tells threads nothing; */
  OPERATION_LOCK_SETUP,  /* the same, and is a store: the lock is initialised or destroyed */
  OPERATION_LOCK_ACQUIRE,  /* can happen only while nobody else holds it */
  OPERATION_LOCK_TRY,      /* acquires it if it can, */
  OPERATION_LOCK_TRY_READ, /* or acquires it for reading if it can */
  OPERATION_LOCK_FAILED,   /* an attempt that did not acquire it */
  OPERATION_LOCK_RELEASE,
  /* Takes a lock of another kind (rwlock, semaphore, ...), or will wait for it; */
  OPERATION_LOCK_ENTER,
  OPERATION_LOCK_AGAIN,  /* has waited for it; */
  OPERATION_LOCK_LEAVE,  /* gives it back */
  OPERATION_LOCK_ARRIVE, /* at a barrier (round, lacks); */
  OPERATION_LOCK_SERIAL, /* the same, and the thread looks at who completes the round (serial) */
  OPERATION_LOCK_JOIN,   /* on a thread: can happen only when it has ended */
  OPERATION_LOCK_EXIT,   /* the end of the program: when nobody else can go on */
  OPERATION_LOCK_LOOK,   /* only looks at it; where executions follow traces: LOCK_OTHER */
};

/* Whether a locked instruction stores can depend on what it finds.  A write that never does: a futex is waited for, or
 * others are woken up. */
enum operation_change {
  OPERATION_CHANGE_ALWAYS,
  OPERATION_CHANGE_NEVER,
  OPERATION_CHANGE_CAS,   /* compare-and-swap: if it finds operand[0]; */
  OPERATION_CHANGE_CAS16, /* if it finds both operands, in two words; */
  OPERATION_CHANGE_RMW,   /* plus enum abi_rmw: if the result differs from what was there */
};

/* As an order: the kernel accesses the contents of a file that is mapped, or a thread's variables end with it.  Atomic,
 * and no part of data races. */
#define OPERATION_BY_KERNEL (2 + ABI_SEQ_CST)

struct operation {
  uint8_t kind; /* enum operation_kind */
  uint8_t lock; /* enum operation_lock */
  bool drain;   /* by the thread's store buffer, not by the thread itself */
  bool drained; /* can happen only once the thread's store buffer is empty */
  uint8_t
      order; /* accesses: 1 + enum abi_order if they are atomic, 0 if not; or OPERATION_BY_KERNEL */
  bool locked; /* a locked instruction, also one that has stored nothing */
  bool begins; /* the first operation of a thread in its lane (lanes.h) */
  bool passes; /* only takes or releases a lock (access/waiting.h) */
  /* A blocked thread waits to do it, or it has failed before: it may be impossible where it is planned. */
  bool patient;
  bool found_free; /* on a mutex that nobody held before or after; neither takes nor releases it */
  /* A load: the newest store to it in its thread's buffer covers only a part of it. */
  bool mixed;
  bool learns;     /* the operation `after` happens before this one for data races, too */
  bool blind : 1;  /* a locked add, subtraction or xor, and nobody looks at what it found */
  bool serial : 1; /* OPERATION_LOCK_ARRIVE: somebody looks at who completes the round */
  bool same : 1;   /* a store that has stored what was there already */
  uint8_t change;  /* enum operation_change */
  /* The ways in which it can end, a bit each (none: only way 0); the one it took. */
  uint8_t ways, way;
  /* With state: lengths of rounds of which it may be the last look (explore/futile.h); 0: none. */
  uint8_t rounds[2];
  uint16_t thread;
  uint16_t machine; /* its thread's */
  uint16_t asks;    /* cxl: machines that may be asked to fail right before it, a bit for each */
  uint32_t size;
  uint32_t joins; /* OPERATION_LOCK_JOIN: 1 + the thread */
  uint32_t after; /* 1 + position of an earlier operation that made it possible, or 0 (dpor.h) */
  /* Ordinary programs: number (1, 2, ...) of its thread's store that leaves the buffer; a load: of the store in the
   * buffer that answers it, 0: none. */
  uint32_t store;
  uintptr_t address;
  uintptr_t block;             /* ordinary programs: the heap block that address lies in, or 0 */
  uintptr_t also;              /* a second lock that it is on (condition wait), or 0 */
  const struct abi_site *site; /* for reports; or, without one: */
  uintptr_t code;
  uint64_t operand[2]; /* of a locked instruction (change) */
  uint64_t before[2];  /* ordinary programs: what it found there */
  /* Ordinary programs: number of the state of a waiting loop that looks, or 0 (explore/futile.h). */
  uint32_t state;
  /* OPERATION_LOCK_ARRIVE that has happened: a number of the barrier's round, which another one far away may have, too,
   * otherwise 0; how many arrivals the round lacks before it (if many: at least).  Arrivals in one round are all serial, or
   * none. */
  uint16_t round, lacks;
};

#define OPERATION_LINE_SHIFT 6 /* of a cache line */

/* pm, state by state: can the two neighbours change places without anybody noticing, also if a failure comes between
 * them? */
bool operations_independent(const struct operation *a, const struct operation *b);

/* Is it a load that its thread's buffer answers?  Then it does not depend on what others store, as long as that store
 * has not left the buffer. */
static inline bool operation_answered(const struct operation *o) {
  return o->kind == OPERATION_READ && o->store;
}

/* Adjust an operation that is still to come to something else having happened: if the store that would answer a load
 * has left the buffer, memory answers. */
static inline void operation_pass(struct operation *o, const struct operation *happened) {
  if (happened->drain && operation_answered(o) && o->thread == happened->thread &&
      o->store == happened->store)
    o->store = 0;
}

/* Ordinary programs, where nothing can fail: the order of two stores to one line matters only if they overlap, and a
 * store buffer goes its own way until its thread has to wait for it.  Updates of the same kind that nobody looks at
 * come to the same in either order, and so do arrivals in the same round of a barrier. */
bool operations_commute(const struct operation *a, const struct operation *b);

/* Are they updates of the same kind and bytes, of which nobody looks at what they found? */
bool operations_add_up(const struct operation *a, const struct operation *b);

/* Does the arrival complete a round: do those who wait go on after it? */
static inline bool operation_completes(const struct operation *o) {
  return o->lock == OPERATION_LOCK_ARRIVE && o->round && o->lacks == 1;
}

/* Have they arrived in the same round of the same barrier? */
static inline bool operations_meet(const struct operation *a, const struct operation *b) {
  return a->lock == OPERATION_LOCK_ARRIVE && b->lock == OPERATION_LOCK_ARRIVE && a->round &&
         a->round == b->round && a->address == b->address;
}

/* cxl, where machines fail one by one. */
bool operations_apart(const struct operation *a, const struct operation *b);

/* pm by traces, where executions run to their end and the power fails afterwards, at some cut (search/traces.h): the
 * order of stores to one line is the order in which they persist, and a flush depends on what the line has seen.  A
 * thread's clflushopt or clwb and a store of its own that leaves the buffer can change places: if the store is to that
 * line the flush comes with it or right after it, and nobody stores in between. */
bool operations_commute_pm(const struct operation *a, const struct operation *b);

/* The value without that update (operation.blind). */
uint64_t operation_take_back(const struct operation *o, uint64_t value);

/* What a read-modify-write stores. */
uint64_t operation_combine(int rmw, uint64_t old, uint64_t operand, int size);

/* A locked instruction, if it finds that: does it change anything? */
bool operation_stores(const struct operation *o, const uint64_t found[2]);

/* An access or lock operation, in words. */
const char *operation_text(const struct operation *o);

/* Is it a store as C sees it?  A locked instruction that stores what was there already is a load for schedules, but a
 * store for C. */
static inline bool operation_is_store(const struct operation *o) {
  bool found = o->operand[0] == o->before[0] && o->operand[1] == o->before[1];
  bool same = o->locked &&
              (o->change >= OPERATION_CHANGE_RMW || (o->change == OPERATION_CHANGE_NEVER && found));
  return o->kind == OPERATION_WRITE || (o->kind == OPERATION_READ && same);
}

/* Does it wait for its thread's store buffer, on x86? */
static inline bool operation_is_barrier(const struct operation *o) {
  return o->locked || o->kind == OPERATION_LOCK || (o->kind == OPERATION_FENCE && o->drained);
}

/* Is it a signal that can wake one of several waiters?  Its way says which. */
static inline bool operation_signals(const struct operation *o) {
  return o->kind == OPERATION_LOCK && o->lock == OPERATION_LOCK_OTHER && o->ways;
}

/* Is it tidemark_choose?  The number is operand[0] and the way; operand[1]: more digits follow. */
static inline bool operation_chooses(const struct operation *o) {
  return o->kind == OPERATION_NONE && o->ways;
}

/* Are they the same alternative of a schedule: of the same thread, or the same buffer? */
static inline bool operations_same(const struct operation *a, const struct operation *b) {
  return a->thread == b->thread && a->drain == b->drain;
}

#endif
