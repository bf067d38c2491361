/* Pass-through hooks for atomic accesses.  They are all sequentially consistent: on this machine
 * the difference is one instruction for stores, and a program may rely on no less. */
#include "abi/abi.h"
#include <pthread.h>
#include <string.h>
#include <sys/random.h>

#define SITE const struct abi_site *site __attribute__((unused))

#define COMBINE(type, signed_type) \
  static type combine_##type(type old, type operand, int op) { \
    switch (op) { \
    case ABI_RMW_XCHG: \
      return operand; \
    case ABI_RMW_ADD: \
      return (type)(old + operand); \
    case ABI_RMW_SUB: \
      return (type)(old - operand); \
    case ABI_RMW_AND: \
      return old & operand; \
    case ABI_RMW_NAND: \
      return (type) ~(old & operand); \
    case ABI_RMW_OR: \
      return old | operand; \
    case ABI_RMW_XOR: \
      return old ^ operand; \
    case ABI_RMW_MAX: \
      return (signed_type)old > (signed_type)operand ? old : operand; \
    case ABI_RMW_MIN: \
      return (signed_type)old < (signed_type)operand ? old : operand; \
    case ABI_RMW_UMAX: \
      return old > operand ? old : operand; \
    default: \
      return old < operand ? old : operand; \
    } \
  }

#define ATOMIC(bytes, type, signed_type) \
  COMBINE(type, signed_type) \
  type __tidemark_atomic_load##bytes(const void *address, int order, SITE) { \
    (void)order; \
    return __atomic_load_n((const type *)address, __ATOMIC_SEQ_CST); \
  } \
  void __tidemark_atomic_store##bytes(void *address, type value, int order, SITE) { \
    if (order == ABI_SEQ_CST) \
      __atomic_store_n((type *)address, value, __ATOMIC_SEQ_CST); \
    else \
      __atomic_store_n((type *)address, value, __ATOMIC_RELEASE); \
  } \
  type __tidemark_rmw##bytes(void *address, type operand, int how, int order, SITE) { \
    int op = how & ~ABI_RMW_UNUSED; \
    (void)order; \
    if (op == ABI_RMW_XCHG) \
      return __atomic_exchange_n((type *)address, operand, __ATOMIC_SEQ_CST); \
    if (op == ABI_RMW_ADD) \
      return __atomic_fetch_add((type *)address, operand, __ATOMIC_SEQ_CST); \
    type old = __atomic_load_n((type *)address, __ATOMIC_RELAXED); \
    while (!__atomic_compare_exchange_n((type *)address, &old, combine_##type(old, operand, op), \
                                        1, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) \
      ; \
    return old; \
  } \
  type __tidemark_cas##bytes(void *address, type expected, type desired, int order, SITE) { \
    (void)order; \
    __atomic_compare_exchange_n((type *)address, &expected, desired, 0, __ATOMIC_SEQ_CST, \
                                __ATOMIC_SEQ_CST); \
    return expected; \
  }

ATOMIC(1, uint8_t, int8_t)
ATOMIC(2, uint16_t, int16_t)
ATOMIC(4, uint32_t, int32_t)
ATOMIC(8, uint64_t, int64_t)

static abi_u128 read16(const void *from) {
  abi_u128 value;
  memcpy(&value, from, sizeof value);
  return value;
}

/* Objects that are not aligned to their size: a lock, as in libatomic. */
static abi_u128 cas16_unaligned(void *address, abi_u128 expected, abi_u128 desired) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&lock);
  abi_u128 old = read16(address);
  if (old == expected)
    memcpy(address, &desired, sizeof desired);
  pthread_mutex_unlock(&lock);
  return old;
}

/* cmpxchg16b by hand: the compiler would call libatomic, which need not be there. */
static abi_u128 cas16(void *address, abi_u128 expected, abi_u128 desired) {
  if ((uintptr_t)address % sizeof expected)
    return cas16_unaligned(address, expected, desired);
  uint64_t low = (uint64_t)expected, high = (uint64_t)(expected >> 64);
  __asm__ volatile("lock cmpxchg16b %2"
                   : "+a"(low), "+d"(high), "+m"(*(abi_u128 *)address)
                   : "b"((uint64_t)desired), "c"((uint64_t)(desired >> 64))
                   : "cc", "memory");
  return (abi_u128)high << 64 | low;
}

void __tidemark_cas16(void *old, void *address, const void *expected, const void *desired,
                      int order, SITE) {
  (void)order;
  abi_u128 found = cas16(address, read16(expected), read16(desired));
  memcpy(old, &found, sizeof found);
}

void __tidemark_atomic_load16(void *to, const void *address, int order, SITE) {
  (void)order;
  abi_u128 value = cas16((void *)address, 0, 0); /* writes 0 over 0, or nothing */
  memcpy(to, &value, sizeof value);
}

void __tidemark_atomic_store16(void *address, const void *from, int order, SITE) {
  (void)order;
  abi_u128 desired = read16(from), expected = 0, found;
  while ((found = cas16(address, expected, desired)) != expected)
    expected = found;
}

uint64_t __tidemark_random(SITE) {
  uint64_t value = 0;
  ssize_t n = getrandom(&value, sizeof value, 0);
  (void)n;
  return value;
}
