/* Compiled without hooks: each function makes one kind of access to watched memory. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

uint64_t plain_load(const uint64_t *p) {
  return *(const volatile uint64_t *)p;
}

uint8_t plain_load1(const uint8_t *p) {
  return *(const volatile uint8_t *)p;
}

void plain_store(uint64_t *p, uint64_t value) {
  *(volatile uint64_t *)p = value;
}

uint64_t plain_add(uint64_t *p, uint64_t value) {
  __asm__ volatile("addq %1, %0" : "+m"(*p) : "r"(value) : "cc");
  __asm__ volatile("addq %1, %0" : "+r"(value) : "m"(*p) : "cc");
  return value;
}

int plain_less(const uint64_t *p, uint64_t value) {
  uint8_t less;
  __asm__ volatile("cmpq %2, %1\n\tsetb %0" : "=q"(less) : "m"(*p), "r"(value) : "cc");
  return less;
}

uint64_t plain_exchange_add(uint64_t *p, uint64_t value) {
  __asm__ volatile("lock xaddq %1, %0" : "+m"(*p), "+r"(value) : : "cc");
  return value;
}

uint64_t plain_push(const uint64_t *p) {
  uint64_t value;
  __asm__ volatile("subq $128, %%rsp\n\tpushq %1\n\tpopq %0\n\taddq $128, %%rsp" : "=&r"(value) : "m"(*p), "r"(p));
  return value;
}

uint64_t plain_call(uint64_t (*const *p)(void)) {
  uint64_t value;
  __asm__ volatile("call *(%1)" : "=a"(value) : "r"(p) : "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "cc", "memory");
  return value;
}

void plain_copy(void *to, const void *from, size_t bytes) {
  __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
}

void plain_vector(void *to, const void *from) {
  __asm__ volatile("movups (%1), %%xmm7\n\tmovups %%xmm7, (%0)" : : "r"(to), "r"(from) : "xmm7", "memory");
}

/* The lower half of xmm5 in a state of 512 bytes, by loading all of it. */
uint64_t plain_restore(const void *state) {
  _Alignas(16) char saved[512];
  uint64_t value;
  __asm__ volatile("fxsave %1\n\tfxrstor (%2)\n\tmovq %%xmm5, %0\n\tfxrstor %1"
                   : "=&r"(value), "+m"(saved)
                   : "r"(state)
                   : "memory");
  return value;
}
