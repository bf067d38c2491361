// CHECK sc: verified
// CHECK rc11: verified
// CHECK sc -DWRONG: violated 26
// CHECK sc -O1: verified
// CHECK sc -DROTATE: violated 23
#define _GNU_SOURCE
#include <assert.h>
#include <stdint.h>
#include <strings.h>
#include <string.h>
static int8_t a = -100;
static uint8_t b = 200;
static int16_t c = -30000;
static uint16_t d = 60000;
static int32_t e = INT32_MIN;
static uint32_t f = 4000000000u;
static int64_t g = INT64_MIN;
static uint64_t h = UINT64_MAX;
static _Bool t = 1;
static unsigned shift = 5, word = 32;
void thread0(void) {
#ifdef ROTATE
  assert(__builtin_rotateleft32(f, word) == f + 1);
#endif
#ifdef WRONG
  assert((int8_t)(a - 100) == -200);
#endif
  assert((int8_t)(a - 100) == 56 && (uint8_t)(b + 100) == 44 && a < 0 && b > 127);
  assert((int16_t)(c - 10000) == 25536 && (uint16_t)(d + 10000) == 4464);
  assert((int32_t)((uint32_t)e - 1) == INT32_MAX && f + 294967296u == 0);
  assert((int64_t)((uint64_t)g - 1) == INT64_MAX && h + 1 == 0);
  assert(e / 2 == -1073741824 && e % 7 == -2 && -c / 7 == 4285 && c % 7 == -5);
  assert(f / 3 == 1333333333 && f % 1000 == 0 && h / 10 == 1844674407370955161ull);
  assert(a * b == -20000 && (uint32_t)(f * f) == 1983905792u && (uint64_t)d * f == 240000000000000ull);
  assert(a >> 2 == -25 && b >> 2 == 50 && f >> shift == 125000000u && (e >> shift) == -67108864);
  assert((uint8_t)(b << 1) == 144 && (h << 63) >> 63 == 1 && (1u << shift) == 32);
  assert((a ^ b) == -172 && (b & 0x0f) == 8 && (b | 0x0f) == 207 && ~b == -201);
  assert((uint32_t)(int32_t)a == 4294967196u && (int64_t)(int32_t)f == -294967296);
  assert(!t == 0 && t + t == 2 && (t ? a : b) == -100);
  assert((a < b) == 1 && (uint32_t)a > f && (e < 0) == 1 && (int32_t)f < 0);
  assert(ffs(e) == 32 && ffs(0) == 0 && ffs(b) == 4 && ffsl(g) == 64 && ffsll((long long)h << 40) == 41);
  assert(__builtin_rotateleft32(f, shift) == 3445948445u && __builtin_rotateright32(f, shift) == 125000000u);
  assert(__builtin_rotateleft32(f, word) == f && __builtin_rotateright64(h - 1, shift + 1) == ~(1ul << 58));
  assert(__builtin_rotateleft16(d, word) == d && __builtin_rotateleft8(b, shift) == 25);
  t = b;
  assert(t == 1);
}
