/* Loads and stores, as an assembler writes them: how long they are, what they read or write, and the same
 * instruction doing so elsewhere. */
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
  F(vpxor_, 32, "vpxor (%rdi), %ymm1, %ymm2", "vpxor (%rsi), %ymm1, %ymm2") \
  F(evex_, 64, "vmovdqu64 (%rax), %zmm17", "vmovdqu64 (%rsi), %zmm17") \
  F(evex_near_, 64, "vmovdqu8 128(%r9,%r12,8), %zmm1", "vmovdqu8 (%rsi), %zmm1") \
  F(evex_odd_, 32, "vmovdqu64 33(%rdi), %ymm16", "vmovdqu64 (%rsi), %ymm16") \
  F(evex_compare_, 32, "vpcmpub $4, -32(%rdi), %ymm16, %k1", "vpcmpub $4, (%rsi), %ymm16, %k1") \
  F(evex_equal_, 16, "vpcmpeqb 16(%r13), %xmm17, %k0", "vpcmpeqb (%rsi), %xmm17, %k0")

#define STORES(F) \
  F(store_, 8, "mov %rcx, (%rax)", "mov %rcx, (%rsi)") \
  F(store_rsi_, 8, "mov %rsi, 8(%rsi)", "mov %rsi, (%rdi)") \
  F(store_dh_, 1, "mov %dh, (%rax)", "mov %dh, (%rdi)") \
  F(store_word_, 2, "mov %r9w, 4(%r8,%r9,2)", ".byte 0x66, 0x44, 0x89, 0x0e") \
  F(store_constant_, 8, "movq $-2, (%rax)", "movq $-2, (%rsi)") \
  F(store_constant_word_, 2, "movw $0x1234, (%rax)", "movw $0x1234, (%rsi)") \
  F(store_constant_byte_, 1, "movb $7, 9(%r13)", ".byte 0x40; movb $7, (%rsi)") \
  F(store_vector_, 16, "movups %xmm0, (%rax)", "movups %xmm0, (%rsi)") \
  F(store_aligned_, 16, "movaps %xmm0, 64(%rax)", "movaps %xmm0, (%rsi)") \
  F(store_movdqa_, 16, "movdqa %xmm1, (%rax)", "movdqa %xmm1, (%rsi)") \
  F(store_movdqu_, 16, "movdqu %xmm1, (%rax)", "movdqu %xmm1, (%rsi)") \
  F(store_movss_, 4, "movss %xmm1, (%rax)", "movss %xmm1, (%rsi)") \
  F(store_movsd_, 8, "movsd %xmm1, (%rax)", "movsd %xmm1, (%rsi)") \
  F(store_movhps_, 8, "movhps %xmm1, (%rax)", "movhps %xmm1, (%rsi)") \
  F(store_movd_, 4, "movd %xmm1, (%rax)", "movd %xmm1, (%rsi)") \
  F(store_movq_, 8, "movq %xmm1, (%rax)", "movq %xmm1, (%rsi)") \
  F(store_vex_, 32, "vmovdqu %ymm0, (%rax)", "vmovdqu %ymm0, (%rsi)") \
  F(store_vex_far_, 16, "vmovups %xmm3, (%r8,%r9)", ".byte 0xc4, 0xe1, 0x78, 0x11, 0x1e") \
  F(store_evex_, 64, "vmovdqu64 %zmm17, 64(%rax)", "vmovdqu64 %zmm17, (%rsi)") \
  F(store_set_, 1, "sete (%rax)", "sete (%rsi)")

#define UNKNOWN(F) \
  F(add_to_, "add %rcx, (%rax)") \
  F(add_one_, "addb $1, (%rax)") \
  F(not_, "notb (%rax)") \
  F(neg_, "negl (%rax)") \
  F(mul_, "mulq (%rax)") \
  F(locked_, "lock addl $0, (%rax)") \
  F(exchange_, "xchg %rax, (%rcx)") \
  F(exchange_add_, "lock xadd %rax, (%rcx)") \
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
  F(evex_masked_, "vmovdqu8 (%rdi), %ymm16{%k1}{z}") \
  F(evex_broadcast_, "vpandd (%rax){1to8}, %ymm1, %ymm17") \
  F(evex_scalar_, "vmovss (%rax), %xmm17") \
  F(evex_store_masked_, "vmovdqu8 %ymm16, (%rdi){%k1}") \
  F(evex_store_scalar_, "vmovss %xmm17, (%rax)") \
  F(store_nt_vector_, "movntdq %xmm0, (%rax)") \
  F(store_segment_, "mov %ds, (%rax)") \
  F(store_mmx_, "movq %mm0, (%rax)") \
  F(pop_, "popq (%rax)") \
  F(mmx_, "pxor (%rax), %mm0")

#define CODE(name, text) \
  __asm__(".pushsection .rodata\n" #name ": " text "\n" #name "end: .popsection"); \
  extern const uint8_t name[] __attribute__((visibility("hidden"))); \
  extern const uint8_t name##end[] __attribute__((visibility("hidden")));
#define TWO(name, size, text, other) \
  CODE(name, text) \
  CODE(name##elsewhere, other)
KNOWN(TWO)
STORES(TWO)
UNKNOWN(CODE)

static void expect(const uint8_t *code, const uint8_t *end, bool stores, int size,
                   const uint8_t *elsewhere, const uint8_t *elsewhere_end) {
  struct reading r;
  uint8_t bytes[READING_BYTES_MAX];
  assert_true(reading_decode(code, &r));
  assert_int_equal(r.length, end - code);
  assert_int_equal(r.size, size);
  assert_int_equal(r.stores, stores);
  assert_int_equal(reading_elsewhere(&r, code, bytes), elsewhere_end - elsewhere);
  assert_memory_equal(bytes, elsewhere, elsewhere_end - elsewhere);
}

static void readings_are_known(void **state) {
  (void)state;
#define EXPECT(name, size, text, other) \
  expect(name, name##end, false, size, name##elsewhere, name##elsewhereend);
  KNOWN(EXPECT)
}

static void stores_are_known(void **state) {
  (void)state;
#define EXPECT_STORE(name, size, text, other) \
  expect(name, name##end, true, size, name##elsewhere, name##elsewhereend);
  STORES(EXPECT_STORE)
}

static void others_are_not(void **state) {
  (void)state;
  struct reading r;
#define EXPECT_NOT(name, text) \
  if (reading_decode(name, &r)) \
    fail_msg("%s is taken for a load or store", text);
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
  assert_int_equal(address_of(evex_near_, &f), (9 << 20) + 8 * (12 << 20) + 128);
  assert_int_equal(address_of(evex_odd_, &f), 33);
  assert_int_equal(address_of(evex_compare_, &f), (uintptr_t)-32);
  assert_int_equal(address_of(evex_equal_, &f), 8);
  assert_int_equal(address_of(mov_stack_, &f), (uintptr_t)(&f + 1) + 4);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(readings_are_known),
      cmocka_unit_test(stores_are_known),
      cmocka_unit_test(others_are_not),
      cmocka_unit_test(addresses),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
