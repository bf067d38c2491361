// CHECK sc -DFENCE="mfence": verified
// CHECK x86tso -DFENCE="": violated 40
// CHECK x86tso -DFENCE="mfence": verified
// CHECK x86tso -DFENCE="sfence;": violated 40
// CHECK x86tso -DFENCE="pause": violated 40
// CHECK x86tso -DFENCE="rep;nop": violated 40
// CHECK x86tso -DFENCE="lock;\taddl\t$0,0(%%rsp)": verified
// CHECK x86tso -DFENCE="lock;orl\t$0,(%%rsp)": verified
// CHECK rc11 -DFENCE="mfence": verified
// CHECK rc11 -DFENCE="lfence": violated 40
// CHECK aarch64 -DFENCE="dmb\tish": verified
// CHECK aarch64 -DFENCE="dmb\tishld": violated 40
// CHECK riscv -DFENCE="fence\trw,\trw": verified
// CHECK riscv -DFENCE="fence\tr,rw": violated 40
// ERROR x86tso -DFENCE="dmb\tishst": assembly.c:23:3: inline assembly like this
// ERROR x86tso -DFENCE="lock;addl\t$1,(%%rsp)": assembly.c:23:3: inline assembly like this
// Fences and pauses in inline assembly, and values that it hides from the compiler.
#include <assert.h>
#include <stdatomic.h>
static atomic_int x, y;
static int r0, r1;
static inline __attribute__((always_inline)) void fence(void) {
  __asm__ volatile(FENCE ::: "memory");
}
static int hidden(int v) {
  __asm__("" : "+r"(v));
  return v;
}
void thread0(void) {
  atomic_store_explicit(&x, hidden(1), memory_order_relaxed);
  fence();
  r0 = atomic_load_explicit(&y, memory_order_relaxed);
}
void thread1(void) {
  atomic_store_explicit(&y, hidden(1), memory_order_relaxed);
  fence();
  r1 = atomic_load_explicit(&x, memory_order_relaxed);
}
void final(void);
void final(void) { assert(r0 || r1); assert(hidden(r0) == r0); }
