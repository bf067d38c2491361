// EXPECT: hang 1
// No operation that the checker sees.
int main(void) {
  volatile int *volatile never = &(volatile int){0};
  register long n = 0;
  for (;;) {
    __asm__ volatile("" : "+r"(n));
    n++;
    if (n < 0 && *never)
      break;
  }
  return 0;
}
