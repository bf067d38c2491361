/* Pass-through hooks for loads, stores, fences and flushes: a program outside the checker does
 * what it would have done without instrumentation. */
#include "abi/abi.h"
#include <string.h>

#define SITE const struct abi_site *site __attribute__((unused))

/* Accesses need not be aligned; memcpy of a constant size is one instruction. */
#define UNALIGNED(type) \
  struct __attribute__((packed, may_alias)) { \
    type value; \
  }

#define PLAIN(bytes, type) \
  type __tidemark_load##bytes(const void *address, SITE) { \
    type value; \
    memcpy(&value, address, sizeof value); \
    return value; \
  } \
  void __tidemark_store##bytes(void *address, type value, SITE) { \
    memcpy(address, &value, sizeof value); \
  } \
  type __tidemark_vload##bytes(const void *address, SITE) { \
    return ((const volatile UNALIGNED(type) *)address)->value; \
  } \
  void __tidemark_vstore##bytes(void *address, type value, SITE) { \
    ((volatile UNALIGNED(type) *)address)->value = value; \
  }

PLAIN(1, uint8_t)
PLAIN(2, uint16_t)
PLAIN(4, uint32_t)
PLAIN(8, uint64_t)

void __tidemark_load_n(void *to, const void *address, size_t bytes, SITE) {
  memcpy(to, address, bytes);
}

void __tidemark_store_n(void *address, const void *from, size_t bytes, SITE) {
  memcpy(address, from, bytes);
}

void __tidemark_ntstore(void *address, const void *from, size_t bytes, SITE) {
  memcpy(address, from, bytes);
}

void __tidemark_atomic_fence(int order, SITE) {
  switch (order) {
  case ABI_RELAXED:
    return;
  case ABI_CONSUME:
  case ABI_ACQUIRE:
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    return;
  case ABI_RELEASE:
    __atomic_thread_fence(__ATOMIC_RELEASE);
    return;
  case ABI_ACQ_REL:
    __atomic_thread_fence(__ATOMIC_ACQ_REL);
    return;
  default:
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
  }
}

void __tidemark_fence(int kind, SITE) {
  if (kind == ABI_MFENCE)
    __builtin_ia32_mfence();
  else if (kind == ABI_SFENCE)
    __builtin_ia32_sfence();
  else
    __builtin_ia32_lfence();
}

/* clflushopt and clwb may not exist here; clflush always does and is stronger. */
void __tidemark_flush(int kind, const void *address, SITE) {
  (void)kind;
  __builtin_ia32_clflush(address);
}

void __tidemark_pause(SITE) {
  __builtin_ia32_pause();
}

uint64_t __tidemark_rdtsc(SITE) {
  return __builtin_ia32_rdtsc();
}

void __tidemark_unknown_asm(const char *text, SITE) {
  (void)text;
}
