// Functions with any number of arguments.
// CHECK rc11: verified
// CHECK sc: verified
// CHECK rc11 -DOTHER: violated 68
// CHECK rc11 -DMORE: violated 13
#include <assert.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>

static long add(int n, va_list list) {
  long sum = 0;
  for (int i = 0; i < n; i++) sum += va_arg(list, long);
  return sum;
}

static long twice(int n, ...) {
  va_list list, again;
  va_start(list, n);
  va_copy(again, list);
  long sum = add(n, list) + add(n, again);
  va_end(again);
  va_end(list);
  return sum;
}

static int mixed(const char *unused, ...) {
  va_list list;
  va_start(list, unused);
  char c = (char)va_arg(list, int);
  int *p = va_arg(list, int *);
  short s = (short)va_arg(list, int);
  unsigned long u = va_arg(list, unsigned long);
  double d = va_arg(list, double);
  va_end(list);
  *p = c;
  return s == -2 && u == ~0ul && d == 0.5;
}

static void report(const char *format, ...) {
  va_list list;
  va_start(list, format);
  vfprintf(stderr, format, list);
  va_end(list);
}

static long sum;
static int fine, letter;

static void *thread(void *unused) {
#ifdef MORE
  sum = twice(3, 1l, 2l);
#else
  sum = twice(2, 1l, 2l);
#endif
  fine = mixed("", 'a', &letter, -2, ~0ul, 0.5);
  report("%ld\n", sum);
  return unused;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, thread, NULL);
  pthread_join(t, NULL);
  assert(sum == 6);
  assert(fine);
#ifdef OTHER
  assert(letter == 'b');
#endif
}
