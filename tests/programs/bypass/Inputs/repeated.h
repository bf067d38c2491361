/* Repeated string instructions; each gives back the registers that it leaves. */
#include <stddef.h>
#include <stdint.h>

struct left {
  uintptr_t rcx, rsi, rdi;
};

#define REPEATED(F)                                                                                \
  F(movsb) F(movsw) F(movsl) F(movsq) F(stosb) F(stosw) F(stosl) F(stosq)

/* down: with the direction flag set. */
#define DECLARE(name)                                                                              \
  struct left plain_##name(void *to, const void *from, size_t count, uint64_t value, int down);
REPEATED(DECLARE)

int plain_same(const void *a, const void *b, size_t bytes); /* repe cmpsb */
