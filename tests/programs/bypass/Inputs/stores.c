/* Compiled without hooks. */
#include "stores.h"

/* The instruction finds p in rcx, r9 and r13, 2 in rdx and r14. */
#define STORE(name, bytes, insn) \
  static void name(void *p, struct store_result *r) { \
    register void *rcx __asm__("rcx") = p; \
    register struct store_result *r10 __asm__("r10") = r; \
    __asm__ volatile("mov $0x8899aabbccddeeff, %%rax\n" \
                     "lea 1(%%rax), %%rbx\n" \
                     "lea 2(%%rax), %%rsi\n" \
                     "lea 3(%%rax), %%rdi\n" \
                     "mov $2, %%edx\n" \
                     "mov $2, %%r14d\n" \
                     "mov %%rcx, %%r9\n" \
                     "mov %%rcx, %%r13\n" \
                     "movq %%rax, %%xmm0\n" \
                     "movq %%rbx, %%xmm1\n" \
                     "punpcklqdq %%xmm1, %%xmm0\n" \
                     "cmp %%rax, %%rbx\n" insn "\n" \
                     "pushfq\n" \
                     "mov %%rax, 0(%%r10)\n" \
                     "mov %%rbx, 8(%%r10)\n" \
                     "mov %%rdx, 16(%%r10)\n" \
                     "mov %%rsi, 24(%%r10)\n" \
                     "mov %%rdi, 32(%%r10)\n" \
                     "popq 40(%%r10)\n" \
                     : "+r"(rcx) \
                     : "r"(r10) \
                     : "rax", "rbx", "rdx", "rsi", "rdi", "r9", "r13", "r14", "xmm0", "xmm1", \
                       "cc", "memory"); \
  }

#define STORES(F) \
  F(mov8, 8, "mov %%rax, (%%rcx)") \
  F(mov4, 4, "mov %%eax, (%%r9)") \
  F(mov2, 2, "mov %%si, (%%r13)") \
  F(mov1, 1, "mov %%dil, (%%rcx)") \
  F(mov_high, 1, "mov %%dh, (%%rcx)") \
  F(mov_rsi, 8, "mov %%rsi, -8(%%rcx,%%rdx,4)") \
  F(mov_rdi, 8, "mov %%rdi, -4(%%r9,%%r14,2)") \
  F(mov_constant, 8, "movq $-3, (%%rcx)") \
  F(mov_constant4, 4, "movl $0x12345678, (%%r9)") \
  F(mov_constant1, 1, "movb $0x12, (%%r9)") \
  F(set, 1, "setne (%%rcx)") \
  F(movups, 16, "movups %%xmm0, (%%rcx)") \
  F(movdqu, 16, "movdqu %%xmm0, (%%r9)") \
  F(movsd, 8, "movsd %%xmm0, (%%rcx)") \
  F(movss, 4, "movss %%xmm0, (%%rcx)") \
  F(movhps, 8, "movhps %%xmm0, (%%rcx)") \
  F(movq, 8, "movq %%xmm0, (%%rcx)") \
  F(movd, 4, "movd %%xmm0, (%%rcx)")

#define DEFINE(name, bytes, insn) STORE(name, bytes, insn)
STORES(DEFINE)

#define ENTRY(name, bytes, insn) {insn, bytes, name},
const struct store_test store_tests[] = {STORES(ENTRY)};
const int store_test_count = sizeof store_tests / sizeof *store_tests;
