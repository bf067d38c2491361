// ERROR sc -DFLOAT: refused.c:15:15: floating-point arithmetic
// ERROR sc -DMULADD: refused.c:17:19: floating-point arithmetic
// ERROR sc -DJUMP: refused.c:21:3: setjmp is not supported
// ERROR sc -DASM: refused.c:23:3: inline assembly like this
// ERROR sc -DUNKNOWN: refused.c:26:3: 'elsewhere' is not defined in this file
// ERROR sc -DNOTHING: no threads
// ERROR sc -DSYNTAX: the compiler refused it
// ERROR rc11 -DSIZES: refused.c:28:12: an atomic access to memory that is also accessed in other sizes
// ERROR jmm-original: C programs cannot have
// ERROR sc --target=vax: expected --target=sc, x86
static double half;
static union { _Atomic int word; char byte[4]; } both;
static void run(void) {
#if defined FLOAT
  half = half / 3;
#elif defined MULADD
  half = half * 3 + 1;
#elif defined JUMP
  int _setjmp(void *);
  static long where[32];
  _setjmp(where);
#elif defined ASM
  __asm__("cpuid");
#elif defined UNKNOWN
  extern void elsewhere(void);
  elsewhere();
#elif defined SIZES
  both.word++; both.byte[1] = 1;
#elif defined SYNTAX
  half = ;
#endif
}
#ifndef NOTHING
void thread0(void) { run(); }
#else
void other(void) { run(); }
#endif
