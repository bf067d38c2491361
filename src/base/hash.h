/* Hashing of bytes and words; results do not depend on addresses or time. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t hash_u64(uint64_t h, uint64_t x) {
  h = (h ^ x) * 0xff51afd7ed558ccdu;
  return h ^ (h >> 32);
}

static inline uint64_t hash_bytes(uint64_t h, const void *bytes, size_t n) {
  const unsigned char *p = bytes;
  for (size_t i = 0; i < n; i++)
    h = (h ^ p[i]) * 0x100000001b3u;
  return hash_u64(h, n);
}

/* The same in larger steps, and with other results. */
static inline uint64_t hash_long(uint64_t h, const void *bytes, size_t n) {
  const unsigned char *p = bytes;
  uint64_t word, length = n;
  for (; n >= 8; p += 8, n -= 8) {
    memcpy(&word, p, 8);
    h = hash_u64(h, word);
  }
  word = 0;
  memcpy(&word, p, n);
  return hash_u64(hash_u64(h, word), length);
}

#endif
