/* Reading instructions, as an assembler writes them: how long they are, what they read, and the same
 * instruction reading elsewhere. */
#include "access/reading.h"
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* name, size, the instruction, and the same elsewhere */
#define KNOWN(F) \
  F(mov_, 8, "mov (%rax), %rcx", "mov (%rsi), %rcx") \
  F(mov_near_, 4, "mov 8(%r9), %ecx", ".byte 0x40; mov (%rsi), %ecx") \
  F(mov_sib_, 8, "mov 0x1234(%r9,%r12,8), %r13", "mov (%rsi), %r13") \
  F(mov_rsi_, 8, "mov (%rsi), %rsi", "mov (%rdi), %rsi") \
  F(mov_r14_, 8, "mov (%rsi), %r14", "mov (%rdi), %r14") \
  F(mov_dh_, 1, "mov (%rax), %dh", "mov (%rdi), %dh") \
  F(mov_bh_, 1, "mov (%rax), %bh", "mov (%rsi), %bh") \
  F(mov_absolute_, 8, "mov 0x1234(,%rax,2), %rdx", "mov (%rsi), %rdx") \
  F(mov_stack_, 2, "mov 4(%rsp), %ax", "mov (%rsi), %ax") \
  F(movsxd_, 4, "movslq 8(%rbp), %rax", "movslq (%rsi), %rax") \
  F(movzx_, 1, "movzbl (%rdx,%rcx), %eax", "movzbl (%rsi), %eax") \
  F(movsx_, 2, "movswl (%rdx,%rcx), %eax", "movswl (%rsi), %eax") \
  F(add_, 8, "add (%r13), %rax", "add (%rsi), %rax") \
  F(cmp_, 1, "cmpb $3, 100(%r13)", ".byte 0x40; cmpb $3, (%rsi)") \
  F(cmp_word_, 2, "cmpw $0x1234, (%rax)", "cmpw $0x1234, (%rsi)") \
  F(cmp_long_, 8, "cmpq $0x123456, (%rax)", "cmpq $0x123456, (%rsi)") \
  F(test_, 4, "testl $0x123456, (%rax)", "testl $0x123456, (%rsi)") \
  F(imul_, 4, "imul $0x1234, (%rdi), %eax", "imul $0x1234, (%rsi), %eax") \
  F(cmov_, 8, "cmovg (%rdi), %rax", "cmovg (%rsi), %rax") \
  F(tzcnt_, 8, "tzcnt (%rdi), %rax", "tzcnt (%rsi), %rax") \
  F(movups_, 16, "movups (%r8), %xmm9", ".byte 0x44, 0x0f, 0x10, 0x0e") \
  F(movss_, 4, "movss 4(%rdi), %xmm0", "movss (%rsi), %xmm0") \
  F(addsd_, 8, "addsd (%rdi), %xmm0", "addsd (%rsi), %xmm0") \
  F(movq_, 8, "movq (%rdi), %xmm0", "movq (%rsi), %xmm0") \
  F(movd_, 4, "movd (%rdi), %xmm0", "movd (%rsi), %xmm0") \
  F(pcmpeqb_, 16, "pcmpeqb (%rdi), %xmm0", "pcmpeqb (%rsi), %xmm0") \
  F(vmovdqu_, 32, "vmovdqu 32(%rdi), %ymm1", "vmovdqu (%rsi), %ymm1") \
  F(vmovdqu_far_, 16, "vmovdqu (%r8,%r9), %xmm1", ".byte 0xc4, 0xe1, 0x7a, 0x6f, 0x0e") \
  F(vpxor_, 32, "vpxor (%rdi), %ymm1, %ymm2", "vpxor (%rsi), %ymm1, %ymm2")

#define UNKNOWN(F) \
  F(store_, "mov %rcx, (%rax)") \
  F(add_to_, "add %rcx, (%rax)") \
  F(add_one_, "addb $1, (%rax)") \
  F(not_, "notb (%rax)") \
  F(neg_, "negl (%rax)") \
  F(mul_, "mulq (%rax)") \
  F(locked_, "lock addl $0, (%rax)") \
  F(exchange_, "xchg %rax, (%rcx)") \
  F(exchange_add_, "lock xadd %rax, (%rcx)") \
  F(store_vector_, "movups %xmm0, (%rax)") \
  F(store_vex_, "vmovdqu %ymm0, (%rax)") \
  F(store_nt_, "movnti %rax, (%rcx)") \
  F(bits_, "bt %rax, (%rcx)") \
  F(set_bits_, "bts %rax, (%rcx)") \
  F(flush_, "clflush (%rax)") \
  F(flush_opt_, "clflushopt (%rax)") \
  F(string_, "lodsq") \
  F(push_, "pushq (%rax)") \
  F(call_, "call *(%rax)") \
  F(thread_local_, "mov %fs:(%rax), %rcx") \
  F(short_address_, "mov (%eax), %rcx") \
  F(relative_, "mov 100(%rip), %rcx") \
  F(register_, "mov %rax, %rcx") \
  F(gather_, "vgatherdps %ymm1, (%rax,%ymm2,4), %ymm3") \
  F(masked_, "vpmaskmovd (%rax), %xmm1, %xmm2") \
  F(evex_, "vmovdqu64 (%rax), %zmm17") \
  F(mmx_, "pxor (%rax), %mm0") \
  F(set_, "sete (%rax)")

#define CODE(name, text) \
  __asm__(".pushsection .rodata\n" #name ": " text "\n" #name "end: .popsection"); \
  extern const uint8_t name[] __attribute__((visibility("hidden"))); \
  extern const uint8_t name##end[] __attribute__((visibility("hidden")));
#define TWO(name, size, text, other) \
  CODE(name, text) \
  CODE(name##elsewhere, other)
KNOWN(TWO)
UNKNOWN(CODE)

static void expect(const uint8_t *code, const uint8_t *end, int size, const uint8_t *elsewhere,
                   const uint8_t *elsewhere_end) {
  struct reading r;
  uint8_t bytes[READING_BYTES_MAX];
  assert_true(reading_decode(code, &r));
  assert_int_equal(r.length, end - code);
  assert_int_equal(r.size, size);
  assert_int_equal(reading_elsewhere(&r, code, bytes), elsewhere_end - elsewhere);
  assert_memory_equal(bytes, elsewhere, elsewhere_end - elsewhere);
}

static void readings_are_known(void **state) {
  (void)state;
#define EXPECT(name, size, text, other) \
  expect(name, name##end, size, name##elsewhere, name##elsewhereend);
  KNOWN(EXPECT)
}

static void others_are_not(void **state) {
  (void)state;
  struct reading r;
#define EXPECT_NOT(name, text) \
  if (reading_decode(name, &r)) \
    fail_msg("%s is taken for a read", text);
  UNKNOWN(EXPECT_NOT)
}

static uintptr_t address_of(const uint8_t *code, const struct bypass_frame *f) {
  struct reading r;
  assert_true(reading_decode(code, &r));
  return reading_address(&r, f);
}

static void addresses(void **state) {
  (void)state;
  static const struct bypass_frame f = {
      .rax = 1 << 20, .rdx = 2 << 20, .rcx = 3 << 20, .r9 = 9 << 20, .r12 = 12 << 20, .r13 = -8};
  assert_int_equal(address_of(mov_, &f), 1 << 20);
  assert_int_equal(address_of(mov_sib_, &f), (9 << 20) + 8 * (12 << 20) + 0x1234);
  assert_int_equal(address_of(mov_absolute_, &f), 2 * (1 << 20) + 0x1234);
  assert_int_equal(address_of(movzx_, &f), 5 << 20);
  assert_int_equal(address_of(cmp_, &f), 92);
  assert_int_equal(address_of(mov_stack_, &f), (uintptr_t)(&f + 1) + 4);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(readings_are_known),
      cmocka_unit_test(others_are_not),
      cmocka_unit_test(addresses),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
