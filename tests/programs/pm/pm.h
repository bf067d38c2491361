/* What the programs in this folder share: cache lines and the instructions that flush them. */
#ifndef PM_H
#define PM_H

#include <emmintrin.h>
#include <stdint.h>
#include <string.h>
#include <tidemark.h>

#define INTRINSIC(features) static inline __attribute__((target(features), unused))

/* One cache line as the words and bytes in it. */
union pm_line {
  uint64_t word[8];
  uint32_t half[16];
  uint16_t quarter[32];
  uint8_t byte[64];
} __attribute__((aligned(64)));

/* The names of the litmus tests: different lines, and a second word in the line of x. */
#define X line[0].word[0]
#define X2 line[0].word[1]
#define Y line[1].word[0]
#define Z line[2].word[0]
#define W line[3].word[0]

/* Fields of any alignment. */
typedef uint16_t __attribute__((aligned(1), may_alias)) any16;
typedef uint32_t __attribute__((aligned(1), may_alias)) any32;
typedef uint64_t __attribute__((aligned(1), may_alias)) any64;

static inline union pm_line *pm_lines(int count) {
  return (union pm_line *)tidemark_region("pm", (size_t)count * sizeof(union pm_line));
}

INTRINSIC("sse2") void clflush(const volatile void *p) {
  _mm_clflush((const void *)p);
}
INTRINSIC("clflushopt") void clflushopt(const volatile void *p) {
  __builtin_ia32_clflushopt((void *)p);
}
INTRINSIC("clwb") void clwb(const volatile void *p) {
  __builtin_ia32_clwb((void *)p);
}

/* before() runs until the power fails, after() ever after. */
#define PM_TEST(lines)                                                                             \
  int main(void) {                                                                                 \
    union pm_line *line = pm_lines(lines);                                                         \
    if (tidemark_failures() == 0)                                                                  \
      before(line);                                                                                \
    else                                                                                           \
      after(line);                                                                                 \
    return 0;                                                                                      \
  }

#endif
