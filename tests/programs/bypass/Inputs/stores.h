#ifndef STORES_H
#define STORES_H
#include <stdint.h>

/* Stores something to p; *after are registers and flags behind it. */
struct store_result {
  uint64_t rax, rbx, rdx, rsi, rdi, flags;
};

struct store_test {
  const char *text;
  int bytes; /* that it changes, from p on */
  void (*run)(void *p, struct store_result *after);
};

extern const struct store_test store_tests[];
extern const int store_test_count;

#endif
