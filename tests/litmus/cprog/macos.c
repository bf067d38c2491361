// What programs that were compiled on macOS call: assert, and functions by the linker's name.
// CHECK sc: verified
// CHECK sc -DWRONG: violated 21
#include <pthread.h>
#include <stdatomic.h>
_Noreturn void __assert_rtn(const char *function, const char *file, int line, const char *text);
#define check(e) ((e) ? (void)0 : __assert_rtn(__func__, __FILE__, __LINE__, #e))
int join(pthread_t thread, void **result) __asm__("\01_pthread_join");

static atomic_int x;
static void *run(void *arg) {
  atomic_store(&x, 1);
  return arg;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, run, 0);
#ifndef WRONG
  join(t, 0);
#endif
  check(atomic_load(&x) == 1);
}
