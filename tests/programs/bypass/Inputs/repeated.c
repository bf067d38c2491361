#include "repeated.h"

#define DEFINE(name)                                                                               \
  struct left plain_##name(void *to, const void *from, size_t count, uint64_t value, int down) {   \
    struct left l = {count, (uintptr_t)from, (uintptr_t)to};                                       \
    if (down)                                                                                      \
      __asm__ volatile("std\n\trep " #name "\n\tcld"                                               \
                       : "+c"(l.rcx), "+S"(l.rsi), "+D"(l.rdi) : "a"(value) : "memory", "cc");     \
    else                                                                                           \
      __asm__ volatile("rep " #name                                                                \
                       : "+c"(l.rcx), "+S"(l.rsi), "+D"(l.rdi) : "a"(value) : "memory", "cc");     \
    return l;                                                                                      \
  }
REPEATED(DEFINE)

int plain_same(const void *a, const void *b, size_t bytes) {
  unsigned char equal;
  __asm__ volatile("cmp %%rdi, %%rdi\n\trepe cmpsb\n\tsete %3"
                   : "+D"(a), "+S"(b), "+c"(bytes), "=r"(equal) : : "memory", "cc");
  return equal;
}
