// Functions on strings and bytes, of constant strings, of local ones, and of what another thread has written.
// CHECK sc: verified
// CHECK rc11: verified
// CHECK sc -DRACE: violated 42
// CHECK rc11 -DRACE: violated
// CHECK sc -DLONG: violated 20
// CHECK sc -DUNKNOWN: violated 49
// ERROR sc -DLENGTH: strings.c:51:3: a length that is not a constant
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
unsigned char __VERIFIER_nondet_uchar(void);
static char name[8] = "old", spare[8];
static atomic_int ready;
static struct pair { int a; char b[4]; } one = {1, "xy"}, two = {1, "xz"};
void thread0(void) {
#ifdef LONG
  char small[3];
  strcpy(small, "long");
#endif
  strcpy(name, "new!");
  strncpy(spare, name, 6);
  atomic_store_explicit(&ready, 1, memory_order_release);
}
static void constants(void) {
  char local[6] = "abc";
  assert(strlen("") == 0 && strlen("abcd") == 4 && strlen(local) == 3 && strnlen(local, 2) == 2);
  assert(strcmp(local, "abc") == 0 && strcmp("abc", "abd") < 0 && strcmp("b", "abc") > 0);
  assert(strncmp("abc", "abd", 2) == 0 && strncmp("abc", "abd", 3) < 0 && strcmp("\xff", "a") > 0);
  assert(memcmp(&one, &two, sizeof one) < 0 && memcmp(&one, &two, 5) == 0);
  strcpy(local, "de");
  assert(local[1] == 'e' && local[2] == 0 && local[3] == 0 && strcpy(local, "f") == local);
  assert(local[0] == 'f' && local[1] == 0 && local[2] == 0);
}
void thread1(void) {
  constants();
#ifndef RACE
  if (!atomic_load_explicit(&ready, memory_order_acquire))
    return;
#endif
  assert(strlen(spare) == 4 && spare[5] == 0 && memcmp(spare, "new!", 5) == 0 && strcmp(name, spare) == 0);
#ifdef UNKNOWN
  char any[3] = {0};
  any[0] = (char)__VERIFIER_nondet_uchar();
  any[1] = (char)__VERIFIER_nondet_uchar();
  assert(strlen(any) < 3);
  assert(strcmp(any, "q") != 0 || (any[0] == 'q' && !any[1]));
  assert(strlen(any) != 1);
#elif defined LENGTH
  strncmp("a", "b", __VERIFIER_nondet_uchar());
#endif
}
