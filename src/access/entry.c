/* The hooks: decode and forward, nothing else.  Meanings are in abi/hooks.def. */
#include "access/access.h"
#include "access/ordinary.h"
#include "access/quick.h"
#include "access/schedule.h"
#include "access/spin.h"
#include "access/times.h"
#include "access/vain.h"
#include "access/waiting.h"
#include "event/window.h"
#include "process/stop.h"
#include "thread/entered.h"
#include "thread/thread.h"
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
#define HERE __attribute__((visibility("hidden"), used)) /* entry_enter.S exports it */
#define SITE const struct abi_site *site

static bool watched(const void *p) {
  return window_has((uintptr_t)p);
}

/* Volatile and atomic accesses are where threads wait for each other, on any memory: they are
 * scheduling points and count as steps (the functions of access.h count those on watched memory). */
static void explored_point(enum operation_kind kind, const void *address, size_t n, SITE) {
  schedule_point(kind, address, n, kind == OPERATION_WRITE, site);
}

/* Traces: it changes ordinary memory that nobody else is told of; its own stack is compared (vain.h). */
static inline void stores_outside(const void *address) {
  if (vain_begun)
    schedule_leave_round((uintptr_t)address);
}

static inline void store_point(const void *address, size_t n, SITE) {
  if (!schedule_explores())
    thread_step();
  else if (!watched(address)) { /* otherwise it goes to the store buffer */
    explored_point(OPERATION_WRITE, address, n, site);
    spin_changed();
    if (schedule.traces)
      spin_stored(0, 0, 0);
  }
  if (!watched(address)) {
    access_step(site);
    access_order(EVENT_RELEASE, address, 1);
  }
}

static inline void load_point(const void *address, size_t n, SITE) {
  if (!schedule_explores())
    thread_step_load(address);
  else if (!watched(address)) /* otherwise the load itself is the point */
    explored_point(OPERATION_READ, address, n, site);
  if (!watched(address)) {
    access_step(site);
    access_order(EVENT_ACQUIRE, address, 0);
  }
}

/* expected: NULL, or all that it has to find if it is to store anything.  operand: what it stores, or computes with; or
 * NULL. */
static inline void locked_point(const void *address, size_t n, const void *expected,
                                const void *operand, SITE) {
  if (schedule_explores())
    schedule_point_locked(address, n, expected, operand, site);
  else
    thread_step_load(address); /* it is no look if it changes something (locked_result) */
  if (!watched(address)) {
    access_step(site);
    access_order(EVENT_ACQUIRE, address, 0);
  }
  access_fence(EVENT_FENCE_RMW, site);
}

/* What a store with that memory order is to later readers. */
static inline int atomic_flags(int order) {
  bool release = order == ABI_RELEASE || order == ABI_ACQ_REL || order == ABI_SEQ_CST;
  return release ? ACCESS_ATOMIC | ACCESS_RELEASE : ACCESS_ATOMIC;
}

/* Nobody splits an aligned volatile store, though it orders nothing. */
static inline int volatile_flags(const void *address, size_t n) {
  return (uintptr_t)address % n == 0 ? ACCESS_ATOMIC : ACCESS_PLAIN;
}

/* A locked instruction has or has not changed something that threads may wait for. */
static inline void locked_result(bool changed) {
  if (changed && !schedule_explores())
    thread_no_look();
  if (changed && schedule_explores()) {
    spin_changed();
    if (schedule.traces)
      spin_stored(0, 0, 0);
  }
}

/* ---- plain and volatile accesses ---- */

/* access_load as a function whose result has the type of the hook's, so that the hook jumps to it: a load
 * can be left in its middle only if nothing of ours is on the program's stack (access_note_plain). */
#define LOAD_AS(n, type) \
  type access_load##n(uintptr_t address, int size, \
                      const struct abi_site *site) __asm__("access_load");
LOAD_AS(1, uint8_t)
LOAD_AS(2, uint16_t)
LOAD_AS(4, uint32_t)
LOAD_AS(8, uint64_t)

/* Ordinary memory of a program all of whose memory is watched, or a pointer that leads nowhere. */
#define DEFINE_ACCESS(n, type) \
  HERE type __tidemark_load##n##_here(const void *address, SITE) { \
    if (quick_load((uintptr_t)address, n)) \
      return *(const volatile type *)space_alias((uintptr_t)address); \
    if (watched(address)) \
      return access_load##n((uintptr_t)address, n, site); \
    if (!ordinary.on) \
      return *(const volatile type *)address; \
    return (type)ordinary_load((uintptr_t)address, n, ORDINARY_PLAIN, site); \
  } \
  EXPORT void __tidemark_store##n(void *address, type value, SITE) { \
    if (watched(address)) \
      access_store((uintptr_t)address, value, n, ACCESS_PLAIN, site); \
    else if (ordinary.on) \
      ordinary_store((uintptr_t)address, value, n, ORDINARY_PLAIN, site); \
    else { \
      stores_outside(address); \
      *(volatile type *)address = value; \
    } \
  } \
  HERE type __tidemark_vload##n##_here(const void *address, SITE) { \
    if (ordinary.on) \
      return (type)ordinary_load((uintptr_t)address, n, ORDINARY_PLAIN, site); \
    load_point(address, n, site); \
    if (quick_load((uintptr_t)address, n)) \
      return *(const volatile type *)space_alias((uintptr_t)address); \
    if (watched(address)) \
      return access_load##n((uintptr_t)address, n, site); \
    return *(const volatile type *)address; \
  } \
  EXPORT void __tidemark_vstore##n(void *address, type value, SITE) { \
    if (ordinary.on) { \
      ordinary_store((uintptr_t)address, value, n, ORDINARY_PLAIN, site); \
      return; \
    } \
    store_point(address, n, site); \
    if (watched(address)) \
      access_store((uintptr_t)address, value, n, volatile_flags(address, n), site); \
    else \
      *(volatile type *)address = value; \
  }
DEFINE_ACCESS(1, uint8_t)
DEFINE_ACCESS(2, uint16_t)
DEFINE_ACCESS(4, uint32_t)
DEFINE_ACCESS(8, uint64_t)

EXPORT void __tidemark_load_n(void *to, const void *address, size_t bytes, SITE) {
  if (watched(address))
    access_read(to, (uintptr_t)address, bytes, site);
  else if (ordinary.on) {
    ENTERED();
    ordinary_read(to, (uintptr_t)address, bytes, site);
  } else
    memcpy(to, address, bytes);
}

EXPORT void __tidemark_store_n(void *address, const void *from, size_t bytes, SITE) {
  if (watched(address))
    access_write((uintptr_t)address, from, bytes, ACCESS_PLAIN, site);
  else if (ordinary.on)
    ordinary_write((uintptr_t)address, from, bytes, site);
  else {
    stores_outside(address);
    memcpy(address, from, bytes);
  }
}

EXPORT void __tidemark_ntstore(void *address, const void *from, size_t bytes, SITE) {
  if (watched(address))
    access_write((uintptr_t)address, from, bytes,
                 bytes <= 8 ? ACCESS_NON_TEMPORAL | volatile_flags(address, bytes)
                            : ACCESS_NON_TEMPORAL,
                 site);
  else if (ordinary.on)
    ordinary_write((uintptr_t)address, from, bytes, site);
  else {
    stores_outside(address);
    memcpy(address, from, bytes);
  }
}

/* ---- atomics: on x86 a locked instruction is a full fence, also when it stores nothing ---- */

#define DEFINE_ATOMIC(n, type) \
  HERE type __tidemark_atomic_load##n##_here(const void *address, int order, SITE) { \
    if (ordinary.on) \
      return (type)ordinary_load((uintptr_t)address, n, order, site); \
    return __tidemark_vload##n##_here(address, site); \
  } \
  HERE void __tidemark_atomic_store##n##_here(void *address, type value, int order, SITE) { \
    bool locked = order == ABI_SEQ_CST; \
    if (ordinary.on && !locked) { \
      ordinary_store((uintptr_t)address, value, n, order, site); \
      return; \
    } \
    if (ordinary.on) { \
      ordinary_locked((uintptr_t)address, n, order, OPERATION_CHANGE_ALWAYS, 0, value, site); \
      return; \
    } \
    entered_site = NULL; /* traces: a store is no look (vain.h) */ \
    if (locked) { \
      locked_point(address, n, NULL, &value, site); \
      locked_result(true); \
    } else \
      store_point(address, n, site); \
    int flags = locked ? atomic_flags(order) | ACCESS_LOCKED : atomic_flags(order); \
    if (watched(address)) \
      access_store((uintptr_t)address, value, n, flags, site); \
    else { \
      *(volatile type *)address = value; \
      if (locked) \
        access_order(EVENT_RELEASE, address, 1); \
    } \
  } \
  HERE type __tidemark_rmw##n##_here(void *address, type operand, int how, int order, SITE) { \
    int op = how & ~ABI_RMW_UNUSED; \
    if (ordinary.on) \
      return (type)ordinary_update((uintptr_t)address, n, order, op, operand, \
                                   how & ABI_RMW_UNUSED, site); \
    locked_point(address, n, NULL, &operand, site); \
    if (!watched(address)) { \
      type old = *(volatile type *)address; \
      access_order(EVENT_RELEASE, address, 0); \
      *(volatile type *)address = (type)operation_combine(op, old, operand, n); \
      locked_result(*(volatile type *)address != old); \
      return old; \
    } \
    type old = (type)access_load_locked((uintptr_t)address, n, site); \
    locked_result((type)operation_combine(op, old, operand, n) != old); \
    access_store((uintptr_t)address, (type)operation_combine(op, old, operand, n), n, \
                 atomic_flags(order) | ACCESS_LOCKED, site); \
    return old; \
  } \
  HERE type __tidemark_cas##n##_here(void *address, type expected, type desired, int order, \
                                     SITE) { \
    if (ordinary.on) \
      return (type)ordinary_locked((uintptr_t)address, n, order, OPERATION_CHANGE_CAS, expected, \
                                   desired, site); \
    locked_point(address, n, &expected, &desired, site); \
    if (!watched(address)) { \
      type old = *(volatile type *)address; \
      locked_result(old == expected && old != desired); \
      if (old == expected) { \
        access_order(EVENT_RELEASE, address, 0); \
        *(volatile type *)address = desired; \
      } \
      return old; \
    } \
    type old = (type)access_load_locked((uintptr_t)address, n, site); \
    locked_result(old == expected && old != desired); \
    if (old == expected) \
      access_store((uintptr_t)address, desired, n, \
                   atomic_flags(ABI_CAS_SUCCESS(order)) | ACCESS_LOCKED, site); \
    return old; \
  }
DEFINE_ATOMIC(1, uint8_t)
DEFINE_ATOMIC(2, uint16_t)
DEFINE_ATOMIC(4, uint32_t)
DEFINE_ATOMIC(8, uint64_t)

static void read16(void *to, const void *address, SITE) {
  if (watched(address))
    access_read16(to, (uintptr_t)address, site);
  else
    memcpy(to, address, 16);
}

static void write16(void *address, const void *from, SITE) {
  access_order(EVENT_RELEASE, address, 0);
  if (watched(address))
    access_write16((uintptr_t)address, from, site);
  else
    memcpy(address, from, 16);
}

HERE void __tidemark_atomic_load16_here(void *to, const void *address, int order, SITE) {
  if (ordinary.on) {
    ordinary_locked16(to, (uintptr_t)address, NULL, NULL, order, site);
    return;
  }
  locked_point(address, 16, NULL, NULL, site); /* x86 loads 16 bytes with a locked cmpxchg16b */
  read16(to, address, site);
}

HERE void __tidemark_atomic_store16_here(void *address, const void *from, int order, SITE) {
  if (ordinary.on) {
    char old[16];
    ordinary_locked16(old, (uintptr_t)address, NULL, from, order, site);
    return;
  }
  entered_site = NULL;
  locked_point(address, 16, NULL, from, site);
  locked_result(true);
  write16(address, from, site);
}

HERE void __tidemark_cas16_here(void *old, void *address, const void *expected, const void *desired,
                                int order, SITE) {
  if (ordinary.on) {
    ordinary_locked16(old, (uintptr_t)address, expected, desired, order, site);
    return;
  }
  locked_point(address, 16, expected, desired, site);
  read16(old, address, site);
  if (memcmp(old, expected, 16) == 0) {
    locked_result(memcmp(old, desired, 16) != 0);
    write16(address, desired, site);
  }
}

/* ---- fences, flushes, the rest ---- */

EXPORT void __tidemark_atomic_fence(int order, SITE) {
  if (ordinary.on)
    ordinary_fence(order, site);
  else if (order == ABI_SEQ_CST)
    access_fence(ABI_MFENCE, site);
}

EXPORT void __tidemark_fence(int kind, SITE) {
  access_fence(kind, site);
}

HERE void __tidemark_flush_here(int kind, const void *address, SITE) {
  access_flush(kind, (uintptr_t)address, site);
}

EXPORT void __tidemark_pause(SITE) {
  access_step(site);
  thread_yield();
}

EXPORT uint64_t __tidemark_rdtsc(SITE) {
  (void)site;
  times_told();
  return thread_virtual_time();
}

EXPORT uint64_t __tidemark_random(SITE) {
  (void)site;
  return 4; /* the same in every execution */
}

EXPORT void __tidemark_unknown_asm(const char *text, SITE) {
  bool intrinsic = strncmp(text, "llvm.", 5) == 0;
  stop_with(STOP_REFUSED, site, "%s that touches memory and is not understood: %s; use %s instead",
            intrinsic ? "an intrinsic" : "inline assembly", text,
            intrinsic ? "plain loads and stores" : "an intrinsic or a builtin");
}
