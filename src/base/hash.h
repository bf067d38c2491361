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

/* The same for many bytes: four words at a time, none of which waits for the others. */
static inline uint64_t hash_wide(const void *bytes, size_t n) {
  const unsigned char *p = bytes;
  uint64_t h[4] = {1, 2, 3, 4}, words[4];
  size_t length = n;
  for (; n >= sizeof words; p += sizeof words, n -= sizeof words) {
    memcpy(words, p, sizeof words);
    for (int i = 0; i < 4; i++)
      h[i] = hash_u64(h[i], words[i]);
  }
  uint64_t all = hash_u64(hash_u64(hash_u64(hash_u64(length, h[0]), h[1]), h[2]), h[3]);
  return hash_long(all, p, n);
}

#endif
