// Locked instructions of x86 with operands, and moves.
// CHECK sc: verified
// CHECK x86tso: verified
// CHECK rc11: verified
// CHECK aarch64: verified
// CHECK rc11 -DNO_CLOBBER: violated 65
// CHECK x86tso -DNO_CLOBBER: verified
// CHECK sc -DLOST: violated 65
// CHECK x86tso -DNO_LOCK: violated 65
// CHECK sc -DVALUES: verified
// CHECK sc -DVALUES -DWRONG: violated 85
// ERROR sc -DUNLOCKED_ADD: assembly_locked.c:36:3: inline assembly like this
// ERROR sc -DUNKNOWN: assembly_locked.c:38:3: inline assembly like this
// ERROR sc -DTWO: assembly_locked.c:40:3: inline assembly like this
#include <assert.h>
static unsigned char held;
static int count, other = 5, next, serving;
static long word = 7;
static int add_return(int *p, int v) {
  __asm__ __volatile__("lock; xaddl %0,%1" : "+r"(v), "+m"(*p) : : "memory", "cc");
  return v;
}
static int read_int(const int *p) {
  int v;
  __asm__ __volatile__("movl %1,%0" : "=r"(v) : "m"(*p) : "memory");
  return v;
}
static void write_int(int *p, int v) {
  __asm__ __volatile__("movl %1,%0" : "=m"(*p) : "ir"(v) : "memory");
}
static void lock(void) {
  unsigned char v;
  do {
    v = 1;
#ifdef UNLOCKED_ADD
  __asm__ __volatile__("addl $1,%0" : "+m"(count));
#elif defined UNKNOWN
  __asm__ __volatile__("lock; btsl $1,%0" : "+m"(count));
#elif defined TWO
  __asm__ __volatile__("lock; incl %0; lock; incl %0" : "+m"(count));
#endif
#ifndef NO_LOCK
    __asm__ __volatile__("xchgb %0,%1" : "+q"(v), "+m"(held) : : "memory");
#else
    v = 0;
#endif
  } while (v);
}
#ifdef NO_CLOBBER
static void unlock(void) { __asm__ __volatile__("movb $0,%0" : "=m"(held)); }
#else
static void unlock(void) { __asm__ __volatile__("movb $0,%0" : "=m"(held) : : "memory"); }
#endif
#ifndef VALUES
static void body(void) {
  lock();
  write_int(&count, read_int(&count) + 1);
  unlock();
#ifdef LOST
  write_int(&other, read_int(&other) + 1);
#else
  __asm__ __volatile__("lock\n\tincl %0" : "+m"(other) : : "memory");
#endif
}
void final(void) { assert(count == 2 && other == 7); }
void thread0(void) { body(); }
void thread1(void) { body(); }
#else
static int cas(int *p, int old, int new) {
  int seen;
  __asm__ __volatile__("lock cmpxchgl %2,%1" : "=a"(seen), "+m"(*p) : "r"(new), "0"(old) : "memory");
  return seen;
}
static _Bool cas_long(long *p, long old, long new) {
  _Bool done;
  __asm__ __volatile__("lock\n\tcmpxchgq %2, %1\n\tsete %0" : "=q"(done), "+m"(*p) : "r"(new), "a"(old) : "memory");
  return done;
}
void thread0(void) {
  int v = 9;
  assert(cas(&other, 5, 6) == 5 && cas(&other, 5, 8) == 6 && read_int(&other) == 6);
  assert(cas_long(&word, 7, -1) && !cas_long(&word, 7, 3) && word == -1);
  assert(add_return(&next, 3) == 0 && add_return(&next, -1) == 3 && next == 2);
#ifdef WRONG
  assert(add_return(&next, 1) == 3);
#endif
  __asm__ __volatile__("lock; subl %1,%0" : "+m"(other) : "ir"(2));
  __asm__ __volatile__("lock; orl $8,%0" : "+m"(other));
  __asm__ __volatile__("xchgl %1,%0" : "+r"(v), "+m"(serving));
  assert(other == 12 && v == 0 && serving == 9);
  _Bool zero, equal;
  __asm__ __volatile__("lock; subl %2,%0; setz %1" : "+m"(other), "=rm"(zero) : "ir"(12) : "memory", "cc");
  __asm__ __volatile__("lock cmpxchgl %3,%0" : "+m"(serving), "=@ccz"(equal), "+a"(v) : "q"(1) : "memory", "cc");
  assert(zero && !equal && v == 9);
  __asm__ __volatile__("lock; decl %0; sete %1" : "+m"(serving), "=q"(zero) : : "memory", "cc");
  assert(!zero && serving == 8);
}
#endif
