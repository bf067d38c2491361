/* Instructions that read 40 bytes at p at most: the same in every register that they can change? */
#include <stdint.h>

struct reading_result {
  uint64_t rax, rbx, rcx, rdx, rsi, rdi, flags;
  uint8_t xmm0[32];
};

struct reading_test {
  const char *text;
  void (*run)(const void *p, struct reading_result *r);
};
extern const struct reading_test readings[];

uint64_t reading_neighbours(const uint64_t *p); /* two loads, one right behind the other */
uint64_t reading_long_sum(const uint8_t *p, uint64_t n);
