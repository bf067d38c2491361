/* Inline assembly for parts of registers, and copies that read what they have written: the same as from clang.
 *
 * RUN: clang-19 -O1 -Wno-everything %s -o %t.plain && %t.plain > %t.expected
 * RUN: %tidemark_cc -Werror -O0 %s -o %t.O0 && %t.O0 > %t.O0.out && diff %t.expected %t.O0.out
 * RUN: %tidemark_cc -Werror -O2 %s -o %t.O2 && %t.O2 > %t.O2.out && diff %t.expected %t.O2.out
 * RUN: %tidemark check --model=sc %t.O2 2>&1 | %FileCheck --check-prefix=SC %s
 * RUN: %tidemark_cc -DHIGH %s -o %t.high 2>&1 | %FileCheck --check-prefix=HIGH %s
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const uint64_t X = 0x1122334455667788, FIVES = 0x5555555555555555;
static uint64_t m[2];

/* Without a suffix the modifier says how much is stored. */
static void modifiers(void) {
  uint64_t x = X;
  m[0] = ~0ul;
  __asm__ volatile("mov %k1, (%0)" ::"r"(m), "r"(x) : "memory");
  printf("%lx\n", m[0]);
  m[0] = ~0ul;
  __asm__ volatile("mov %w1, (%0)" ::"r"(m), "r"(x) : "memory");
  printf("%lx\n", m[0]);
  m[0] = ~0ul;
  __asm__ volatile("mov %b1, (%0)" ::"r"(m), "q"(x) : "memory");
  printf("%lx\n", m[0]);
  m[0] = FIVES;
  __asm__ volatile("lock xadd %w0, %1" : "+r"(x), "+m"(m[0]));
  printf("%lx %lx\n", x, m[0]);
}

/* The lower 8 or 16 bits leave the others as they are, the lower 32 do not. */
static void parts(void) {
  uint64_t x = X, all = 0xff00000000000055;
  uint8_t byte = 0xee;
  m[0] = FIVES;
  __asm__ volatile("xchgb %b0, %1" : "+q"(x), "+m"(byte));
  printf("%lx %x\n", x, byte);
  __asm__ volatile("movl %1, %k0" : "+r"(x) : "m"(m[0]));
  printf("%lx\n", x);
  x = X;
  __asm__ volatile("movb %1, %b0" : "+r"(x) : "m"(m[0]));
  printf("%lx\n", x);
  m[0] = 0x66;
  __asm__ volatile("lock cmpxchgb %b2, %1" : "+a"(all), "+m"(*(uint8_t *)m) : "q"(x) : "memory");
  printf("%lx %lx\n", all, m[0]);
  m[0] = 0xffff;
  __asm__ volatile("mov %1, %%ax" : "+a"(all) : "m"(*(uint16_t *)m) : "memory");
  printf("%lx\n", all);
  m[0] = 0;
  __asm__ volatile("lock decl %1; sets %b0" : "+q"(all), "+m"(*(uint32_t *)m)::"memory");
  printf("%lx %lx\n", all, m[0]);
}

static char text[64];

static void copies(void) {
  char *to, *from;
  unsigned long n;
  strcpy(text, "abc");
  to = text + 3, from = text, n = 12;
  __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n)::"memory");
  printf("%s %ld %ld %ld\n", text, to - text, from - text, n);
  strcpy(text, "0123456789abcdefghijklmnopqrstuv");
  to = text + 5, from = text, n = 3; /* of 8 bytes, each of which is read as a whole */
  __asm__ volatile("rep movsq" : "+D"(to), "+S"(from), "+c"(n)::"memory");
  printf("%s\n", text);
  to = text, from = text + 3, n = 20;
  __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n)::"memory");
  printf("%s\n", text);
  to = from = text, n = 20;
  __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n)::"memory");
  printf("%s\n", text);
}

int main(void) {
  modifiers();
  parts();
  copies();
#ifdef HIGH
  uint64_t x = X;
  // HIGH: does not understand: "xchg ${0:h}, $1"
  __asm__ volatile("xchg %h0, %1" : "+Q"(x), "+m"(*(uint8_t *)m)::"memory");
#endif
  return 0;
}
// SC: {{^}}no findings; the search is complete
