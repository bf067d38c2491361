// Under gdb: accesses of code that is not instrumented (here: of string instructions across a page,
// of a locked instruction) are carried out as always, and the backtrace goes through them.
// RUN: cc -g -O1 -fPIC -DPLAIN -c %s -o %t.o
// RUN: %tidemark_cc -g -O1 %s %t.o -o %t
// RUN: %tidemark check --json=%t.json %t > %t.txt 2>&1; test $? = 1
// RUN: %FileCheck --check-prefix=TEXT %s < %t.txt
// RUN: printf 'set width 0\nbt\nbreak close_after_step\ncontinue\nbt\ndelete 3\ncontinue\nbt\ncontinue\n' > %t.in
// RUN: %tidemark replay %t.json --gdb < %t.in > %t.out 2>&1
// RUN: %FileCheck --check-prefix=GDB %s < %t.out
#include <assert.h>
#include <stddef.h>
#include <stdint.h>

void plain_fill(char *p, int c, size_t n);
void plain_copy(char *to, const char *from, size_t n);
int plain_same(const char *a, const char *b, size_t n);
void plain_add(uint64_t *p);

#ifdef PLAIN
void plain_fill(char *p, int c, size_t n) {
  __asm__ volatile("rep stosb" : "+D"(p), "+c"(n) : "a"(c) : "memory");
}

void plain_copy(char *to, const char *from, size_t n) {
  __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n) : : "memory");
}

int plain_same(const char *a, const char *b, size_t n) {
  unsigned char equal;
  __asm__ volatile("cmp %%rdi, %%rdi; repe cmpsb; sete %3"
                   : "+D"(a), "+S"(b), "+c"(n), "=r"(equal)
                   :
                   : "memory", "cc");
  return equal;
}

void plain_add(uint64_t *p) {
  __asm__ volatile("lock addq $3, 8(%0)" : : "r"(p) : "memory", "cc");
}
#else
#include <immintrin.h>
#include <tidemark.h>

int main(void) {
  char *p = tidemark_region("r", 16384);
  if (p[128]) {
    int whole = plain_same(p + 4094, "zzz", 3);
    // TEXT: error[assertion]: assertion failed: whole
    // TEXT: --> {{.*}}gdb_bypass.c:[[@LINE-19]]:3
    // TEXT: stored at gdb_bypass.c:[[@LINE-29]]:3 in plain_fill
    // TEXT: lost {{.*}} stored at gdb_bypass.c:[[@LINE-30]]:3 in plain_fill
    // GDB: tidemark_debug_failure
    // GDB: main () at {{.*}}gdb_bypass.c:[[@LINE+16]]
    // GDB: close_after_step
    // GDB: plain_same ({{.*}}
    // GDB: main () at {{.*}}gdb_bypass.c:[[@LINE-9]]
    // GDB: tidemark_debug_finding
    // GDB: main () at {{.*}}gdb_bypass.c:[[@LINE+2]]
    // GDB: exited normally
    assert(whole);
    return 0;
  }
  for (int i = 0; i < 2; i++) plain_add((uint64_t *)(p + 64)); /* stepped, then in a copy */
  plain_fill(p + 4094, 'z', 3);
  plain_copy(p + 8190, p + 4094, 3);
  assert(plain_same(p + 8190, p + 4094, 3) && plain_same("zzz", p + 8190, 3));
  assert(!plain_same(p + 8190, "zyz", 3) && ((uint64_t *)p)[9] == 6);
  p[128] = 1;
  _mm_clflush(p + 128);
  _mm_sfence();
  return 0;
}
#endif
