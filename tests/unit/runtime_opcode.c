/* What is known of instructions, as an assembler writes them. */
#include "access/opcode.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define CODE(name, text) \
  __asm__(".pushsection .rodata\n" #name ": " text "\n.popsection"); \
  extern const uint8_t name[] __attribute__((visibility("hidden")));

#define FLUSHES(F) \
  F(clflush_, "clflush (%rax)") \
  F(clflushopt_, "clflushopt 64(%r9)") \
  F(clwb_, "clwb (%r12,%rax,8)")

#define TRANSFERS(F) \
  F(call_, "call *(%rax)") \
  F(jump_, "jmp *8(%r9,%rcx,8)") \
  F(return_, "ret") \
  F(return_more_, "ret $16")

#define WIDE(F) \
  F(fxrstor_, "fxrstor (%rax)") \
  F(fxrstor64_, "fxrstor64 (%rax)") \
  F(xrstor_, "xrstor64 (%r9)") \
  F(frstor_, "frstor (%rax)") \
  F(gather_, "vgatherdps %ymm1, (%rax,%ymm2,4), %ymm3") \
  F(gather_512_, "vpgatherqq (%rax,%zmm2,8), %zmm3{%k1}") \
  F(movdir64b_, "movdir64b (%rax), %rcx")

#define ORDINARY(F) \
  F(load_, "mov (%rax), %rcx") \
  F(locked_, "lock incq (%rax)") \
  F(push_, "pushq (%rax)") \
  F(xsaveopt_, "xsaveopt (%rax)") \
  F(fxsave_, "fxsave (%rax)") \
  F(sfence_, "sfence") \
  F(mulss_, "mulss (%r9), %xmm1") \
  F(vector_, "vmovdqu64 (%rax), %zmm17") \
  F(scatter_, "vpscatterqq %zmm3, (%rax,%zmm2,8){%k1}") \
  F(movbe_, "movbe (%rax), %ecx")

FLUSHES(CODE)
TRANSFERS(CODE)
WIDE(CODE)
ORDINARY(CODE)
CODE(movsb_, "rep movsb")
CODE(movsw_, "rep movsw")
CODE(stosl_, "stosl")
CODE(stosq_, "rep stosq")
CODE(cmpsb_, "repne cmpsb")
CODE(far_movsq_, "rep movsq %gs:(%rsi), (%rdi)")
CODE(short_stosb_, "addr32 rep stosb")
CODE(rex_not_last_, ".byte 0x48, 0xf3, 0xab") /* rep stosl */

static void expect(const uint8_t *code, bool flush, bool transfer, bool wide) {
  struct opcode o = opcode_read((uintptr_t)code);
  assert_int_equal(opcode_is_flush(&o), flush);
  assert_int_equal(opcode_is_transfer(&o), transfer);
  assert_int_equal(opcode_reads_widely(&o), wide);
  assert_false(opcode_is_string(&o));
}

static void kinds_are_told_apart(void **state) {
  (void)state;
#define FLUSH(name, text) expect(name, true, false, false);
#define TRANSFER(name, text) expect(name, false, true, false);
#define IS_WIDE(name, text) expect(name, false, false, true);
#define NOTHING(name, text) expect(name, false, false, false);
  FLUSHES(FLUSH)
  TRANSFERS(TRANSFER)
  WIDE(IS_WIDE)
  ORDINARY(NOTHING)
}

static struct opcode string(const uint8_t *code, int size, int repeat) {
  struct opcode o = opcode_read((uintptr_t)code);
  assert_true(opcode_is_string(&o));
  assert_false(opcode_is_transfer(&o) || opcode_is_flush(&o));
  assert_int_equal(opcode_string_size(&o), size);
  assert_int_equal(o.repeat, repeat);
  return o;
}

static void string_operations_are_read(void **state) {
  (void)state;
  assert_int_equal(*string(movsb_, 1, 0xf3).code, 0xa4);
  assert_int_equal(string(movsw_, 2, 0xf3).repeats, 1);
  assert_int_equal(string(stosl_, 4, 0).repeats, 0);
  assert_ptr_equal(string(stosq_, 8, 0xf3).code, stosq_ + 2);
  struct opcode compares = string(cmpsb_, 1, 0xf2), moves = string(movsb_, 1, 0xf3);
  assert_true(opcode_is_comparison(&compares));
  assert_false(opcode_is_comparison(&moves));
  assert_true(string(far_movsq_, 8, 0xf3).segment);
  assert_true(string(short_stosb_, 1, 0xf3).short_address);
  assert_int_equal(string(rex_not_last_, 4, 0xf3).repeats, 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(kinds_are_told_apart),
      cmocka_unit_test(string_operations_are_read),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
