#include "readings.h"
#include <stddef.h>

/* The instruction finds p in rcx, r9 and (twice) r13, 2 in rdx and r14; r10 is the result. */
#define READ(name, insn) \
  static void name(const void *p, struct reading_result *r) { \
    register const void *rcx __asm__("rcx") = p; \
    register struct reading_result *r10 __asm__("r10") = r; \
    __asm__ volatile("mov $0x1122334455667788, %%rax\n" \
                     "lea 1(%%rax), %%rbx\n" \
                     "lea 2(%%rax), %%rsi\n" \
                     "lea 3(%%rax), %%rdi\n" \
                     "mov $2, %%edx\n" \
                     "mov $2, %%r14d\n" \
                     "mov %%rcx, %%r9\n" \
                     "mov %%rcx, %%r13\n" \
                     "movq %%rax, %%xmm0\n" \
                     "movq %%rbx, %%xmm1\n" \
                     "cmp %%rax, %%rbx\n" insn "\n" \
                     "pushfq\n" \
                     "mov %%rax, 0(%%r10)\n" \
                     "mov %%rbx, 8(%%r10)\n" \
                     "mov %%rcx, 16(%%r10)\n" \
                     "mov %%rdx, 24(%%r10)\n" \
                     "mov %%rsi, 32(%%r10)\n" \
                     "mov %%rdi, 40(%%r10)\n" \
                     "popq 48(%%r10)\n" \
                     "movups %%xmm0, 56(%%r10)\n" \
                     : "+r"(rcx) \
                     : "r"(r10) \
                     : "rax", "rbx", "rdx", "rsi", "rdi", "r9", "r13", "r14", "xmm0", "xmm1", "cc", \
                       "memory"); \
  }

#define READINGS(F) \
  F(mov8, "mov (%%rcx), %%rax") \
  F(mov4, "mov 4(%%r9), %%eax") \
  F(mov2, "mov 2(%%r13), %%si") \
  F(mov1, "mov 3(%%rcx), %%sil") \
  F(mov_high, "mov 3(%%rcx), %%dh") \
  F(mov_high_b, "mov 3(%%rcx), %%bh") \
  F(mov_itself, "mov (%%rcx), %%rcx") \
  F(mov_rdi, "mov (%%rcx,%%rdx,4), %%rdi") \
  F(mov_index, "mov 1(%%r9,%%r14,8), %%r8; mov %%r8, %%rax") \
  F(mov_far, "mov 16(%%r13,%%r14,2), %%rbx") \
  F(mov_stack, "pushq 8(%%rcx); mov (%%rsp), %%rax; mov -8(%%rsp,%%rdx,4), %%rbx; popq %%rsi") \
  F(mov_no_base, "lea -2048(%%rcx), %%r9; mov 2048(,%%r9,1), %%rsi") \
  F(movzx1, "movzbl 5(%%rcx), %%eax") \
  F(movsx1, "movsbq 6(%%rcx), %%rsi") \
  F(movzx2, "movzwl 7(%%rcx), %%edi") \
  F(movsx2, "movswq 8(%%r9), %%rax") \
  F(movsxd, "movslq 12(%%rcx), %%rax") \
  F(add_, "add (%%rcx), %%rax") \
  F(or_, "or 1(%%rcx), %%al") \
  F(adc_, "stc; adc 2(%%rcx), %%eax") \
  F(sbb_, "stc; sbb 3(%%rcx), %%rsi") \
  F(and_, "and 4(%%rcx), %%bx") \
  F(sub_, "sub 5(%%rcx), %%rdi") \
  F(xor_, "xor 6(%%rcx), %%rbx") \
  F(cmp_, "cmp 7(%%rcx), %%rax") \
  F(cmp_to, "cmp %%si, 7(%%rcx)") \
  F(cmp_byte, "cmpb $17, 3(%%rcx)") \
  F(cmp_word, "cmpw $1700, 3(%%rcx)") \
  F(cmp_long, "cmpq $170000, 3(%%rcx,%%rdx)") \
  F(cmp_short, "cmpl $-1, 9(%%rcx)") \
  F(test_, "test %%rsi, 8(%%rcx)") \
  F(test_byte, "testb $0x55, 8(%%rcx)") \
  F(test_long, "testl $0x55555555, 8(%%rcx)") \
  F(imul_, "imul 9(%%rcx), %%rax") \
  F(imul_short, "imul $3, 9(%%rcx), %%rsi") \
  F(imul_long, "imul $30000, 9(%%rcx), %%eax") \
  F(cmov, "cmovne 10(%%rcx), %%rax") \
  F(cmov_not, "cmove 10(%%rcx), %%rax") \
  F(bsf, "bsf 11(%%rcx), %%rax") \
  F(popcnt, "popcnt 11(%%rcx), %%rsi") \
  F(movups, "movups 1(%%rcx), %%xmm0") \
  F(movaps, "movaps 16(%%rcx), %%xmm0") \
  F(movdqu, "movdqu 3(%%rcx), %%xmm0") \
  F(movdqa, "movdqa (%%rcx), %%xmm8; movdqa %%xmm8, %%xmm0") \
  F(movss, "movss 4(%%rcx), %%xmm0") \
  F(movsd, "movsd 4(%%rcx), %%xmm0") \
  F(movd, "movd 4(%%rcx), %%xmm0") \
  F(movq, "movq 4(%%rcx), %%xmm0") \
  F(movhps, "movhps 4(%%rcx), %%xmm0") \
  F(pcmpeqb, "pcmpeqb (%%rcx), %%xmm0") \
  F(pxor, "pxor 16(%%r9), %%xmm0") \
  F(addsd, "movq 16(%%r9), %%xmm0; addsd 8(%%r9), %%xmm0") \
  F(ucomisd, "ucomisd 8(%%r9), %%xmm0") \
  F(lddqu, "lddqu 5(%%r9), %%xmm0") \
  /* not known to reading.c */ \
  F(crc32, "crc32q 5(%%rcx), %%rax") \
  F(bt, "btl $3, 5(%%rcx)") \
  F(pshufb, "pshufb (%%rcx), %%xmm0") \
  F(push, "pushq (%%rcx); popq %%rax") \
  F(movbe, "movbe 1(%%rcx), %%rsi")

#define VEX_READINGS(F) \
  F(vmovdqu, "vmovdqu 5(%%r9), %%ymm0; vextracti128 $1, %%ymm0, %%xmm0") \
  F(vmovups, "vmovups 5(%%rcx,%%r14), %%xmm0") \
  F(vpcmpeqb, "vpcmpeqb 3(%%rcx), %%xmm1, %%xmm0") \
  F(vpxor, "vpxor 3(%%r13), %%xmm1, %%xmm0") \
  F(vmovsd, "vmovsd 3(%%rcx), %%xmm0")

READINGS(READ)
VEX_READINGS(READ)

#define ROW(name, insn) {insn, name},
const struct reading_test readings[] = {READINGS(ROW) VEX_READINGS(ROW){NULL, NULL}};

uint64_t reading_neighbours(const uint64_t *p) {
  uint64_t a, b;
  __asm__ volatile("mov (%2), %0\n"
                   "%{disp32%} mov 8(%2), %1\n" /* long enough for any jump; the one before counts on it */
                   "add 16(%2), %0\n"
                   : "=&r"(a), "=&r"(b)
                   : "r"(p)
                   : "memory");
  return a ^ b;
}

uint64_t reading_long_sum(const uint8_t *p, uint64_t n) {
  uint64_t sum = 0;
  for (uint64_t i = 0; i < n; i++) {
    __asm__ volatile("" : "+r"(sum));
    sum = sum * 31 + p[i];
  }
  return sum;
}
