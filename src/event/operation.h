/* What a thread, or its store buffer, is about to do, as far as others can notice: the vocabulary of
 * schedules.
 *
 * A schedule is a sequence of such operations.  Two neighbours of different threads that do not
 * touch the same thing can change places without anybody noticing (operations_independent), so one
 * order of them is enough. */
#ifndef EVENT_OPERATION_H
#define EVENT_OPERATION_H

#include "abi/abi.h"
#include <stdbool.h>
#include <stdint.h>

enum operation_kind {
  OPERATION_NONE,  /* nothing that others could notice, such as a thread's start or a choice */
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
  OPERATION_LOCK_ACQUIRE,  /* can happen only while nobody else holds it */
  OPERATION_LOCK_TRY,      /* acquires it if it can; */
  OPERATION_LOCK_TRY_READ, /* for reading */
  OPERATION_LOCK_FAILED,   /* an attempt that did not acquire it */
  OPERATION_LOCK_RELEASE,
  OPERATION_LOCK_ENTER, /* takes one of another kind, or will wait for it; */
  OPERATION_LOCK_AGAIN, /* has waited; */
  OPERATION_LOCK_LEAVE, /* gives it back */
  OPERATION_LOCK_JOIN,  /* on a thread: can happen only when it has ended */
  OPERATION_LOCK_EXIT,  /* the end of the program: when nobody else can go on */
};

/* Whether a locked instruction stores can depend on what it finds. */
enum operation_change {
  OPERATION_CHANGE_ALWAYS,
  OPERATION_CHANGE_NEVER,
  OPERATION_CHANGE_CAS,   /* if it finds the operand; */
  OPERATION_CHANGE_CAS16, /* operands, in two words; */
  OPERATION_CHANGE_RMW,   /* plus enum abi_rmw: if what that makes of it is something else */
};

struct operation {
  uint8_t kind;    /* enum operation_kind */
  uint8_t lock;    /* enum operation_lock */
  bool drain;      /* by the thread's store buffer, not by the thread itself */
  bool drained;    /* can happen only once the thread's store buffer is empty */
  uint8_t order;   /* accesses: 1 + enum abi_order if they are atomic, 0 if not */
  bool locked;     /* a locked instruction, also one that has stored nothing */
  bool begins;     /* the first of a thread in its lane (lanes.h) */
  bool passes;     /* only takes or releases a lock (access/waiting.h) */
  bool patient;    /* it waits, or was tried in vain before: it may have been possible earlier */
  bool found_free; /* on a mutex that nobody held before or after, neither takes nor releases it */
  bool mixed;  /* a load: what its thread's buffer has stored there newest is only a part of it */
  bool learns; /* `after` orders memory: it happens before this one for data races, too */
  uint8_t change;    /* enum operation_change */
  uint8_t ways, way; /* in which it can end, a bit each (none: way 0); which one it was */
  uint8_t rounds
      [2]; /* with state: looks of rounds that it may be the last one of (futile.h); 0: none */
  uint16_t thread;
  uint16_t machine; /* its thread's */
  uint16_t asks;    /* cxl: machines that may be asked to fail right before it, a bit for each */
  uint32_t size;
  uint32_t joins; /* OPERATION_LOCK_JOIN: 1 + the thread */
  uint32_t after; /* 1 + position of an earlier operation that made it possible, or 0 (dpor.h) */
  uint32_t
      store; /* ordinary programs: which of its thread's stores leaves the buffer, 1, 2, ...; a load: which
                     one in the buffer has answered it, 0: none */
  uintptr_t address;
  uintptr_t block;             /* ordinary programs: the heap block that address lies in, or 0 */
  uintptr_t also;              /* a second lock that it is on (waiting for a condition), or 0 */
  const struct abi_site *site; /* for reports; or, without one: */
  uintptr_t code;
  uint64_t operand[2]; /* of a locked instruction (change) */
  uint64_t before[2];  /* ordinary programs: what was there */
  uint64_t
      state; /* ordinary programs: of a thread that looks, if it may do so in vain (futile.h) */
};

#define OPERATION_LINE_SHIFT 6 /* accesses to one cache line concern each other */

bool operations_independent(const struct operation *a, const struct operation *b);

/* A load that its thread's buffer answers has nothing to do with what others store, as long as that store has
 * not left the buffer. */
static inline bool operation_answered(const struct operation *o) {
  return o->kind == OPERATION_READ && o->store;
}

/* The operation, still to come, when something else has happened. */
static inline void operation_pass(struct operation *o, const struct operation *happened) {
  if (happened->drain && operation_answered(o) && o->thread == happened->thread &&
      o->store == happened->store)
    o->store = 0;
}

/* The same where nothing can fail: the order of two stores to one line matters only if they overlap,
 * and a store buffer goes its own way until its thread has to wait for it. */
bool operations_commute(const struct operation *a, const struct operation *b);

/* The same where machines fail one by one. */
bool operations_apart(const struct operation *a, const struct operation *b);

/* The same for persistent memory, if every operation is carried to its end and the power fails
 * afterwards, somewhere (search/traces.h): the order of stores to one line is the order in which they
 * persist, a flush is about what the line has seen.  A thread's clflushopt or clwb and a store of its
 * own that leaves the buffer can change places: if the store is to that line the flush comes with it
 * or right after it, and nobody stores in between. */
bool operations_commute_pm(const struct operation *a, const struct operation *b);

/* What a read-modify-write stores. */
uint64_t operation_combine(int rmw, uint64_t old, uint64_t operand, int size);

/* A locked instruction, if it finds that: does it change anything? */
bool operation_stores(const struct operation *o, const uint64_t found[2]);

/* Is it a store to C?  A locked instruction that stores what was there already is one, and a load otherwise. */
static inline bool operation_is_store(const struct operation *o) {
  bool found = o->operand[0] == o->before[0] && o->operand[1] == o->before[1];
  bool same = o->locked &&
              (o->change >= OPERATION_CHANGE_RMW || (o->change == OPERATION_CHANGE_NEVER && found));
  return o->kind == OPERATION_WRITE || (o->kind == OPERATION_READ && same);
}

/* Of several ways, which waiter it wakes. */
static inline bool operation_signals(const struct operation *o) {
  return o->kind == OPERATION_LOCK && o->lock == OPERATION_LOCK_OTHER && o->ways;
}

/* The program asks for a number (tidemark_choose), which is operand[0] and its way; operand[1]: and for more
 * digits of it. */
static inline bool operation_chooses(const struct operation *o) {
  return o->kind == OPERATION_NONE && o->ways;
}

/* The same alternative of a schedule: the thread, or its buffer. */
static inline bool operations_same(const struct operation *a, const struct operation *b) {
  return a->thread == b->thread && a->drain == b->drain;
}

#endif
