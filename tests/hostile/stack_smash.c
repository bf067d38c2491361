// EXPECT: abort 1
// Only with -fstack-protector; without it the return address is garbage.
extern void __stack_chk_fail(void);
int main(void) {
  __stack_chk_fail();
}
