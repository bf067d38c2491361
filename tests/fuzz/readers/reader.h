/* What the libFuzzer targets of this folder have in common; run.sh runs them. */
#ifndef TESTS_FUZZ_READER_H
#define TESTS_FUZZ_READER_H

#include "base/check.h"
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void give_up(const char *message) {
  (void)message;
  abort(); /* where libFuzzer sees it, and keeps the input */
}

/* With a NUL behind it, in a block of its own size: reading further is noticed. */
static inline char *copy_input(const uint8_t *data, size_t size) {
  char *text = malloc(size + 1);
  if (!text)
    abort();
  check_on_failure = give_up;
  memcpy(text, data, size);
  text[size] = 0;
  return text;
}

/* Whoever rejects a text says why and where. */
static inline void expect_reason(const char *message, int line, int column) {
  if (!message[0] || line < 1 || column < 1)
    abort();
}

#endif
