// What the system does not allow is no internal error: exit status 3 and what to do, or the checker
// does without.
// RUN: %clang %S/Inputs/deny.c -o %t.deny && %tidemark_cc -g %s -o %t
//
// RUN: (ulimit -n 64; %tidemark check %t 2> %t.out; test $? = 3) && grep 'the limit on open files (ulimit -n, 64) is too small' %t.out
// RUN: (ulimit -s 64; %tidemark check %t 2>&1; test $? = 3) | grep 'the limit on the stack (ulimit -s, 64 KiB) is too small'
// RUN: bash -c 'ulimit -f 8; %tidemark check %t 2>&1; test $? = 3' | grep 'the limit on files and shared memory (ulimit -f, 8 KiB) is too small'
// RUN: (ulimit -d 1000; %tidemark check %t 2>&1; test $? = 5) | grep 'out of memory'
// RUN: (ulimit -n 128; %tidemark check --quiet %t && %tidemark check --quiet --model=cxl --machines=3 %t)
// RUN: (ulimit -n 128; %tidemark check --model=cxl %t files 2> %t.out; test $? = 3) && grep 'the limit on open files (ulimit -n.*) is too small for this search' %t.out
//
// memfd_create, vfork, fork and clone:
// RUN: %t.deny 319=1 -- %tidemark check %t 2> %t.out; test $? = 3
// RUN: grep 'memfd_create, mmap): Operation not permitted; does a sandbox forbid it' %t.out
// RUN: %t.deny 58=11 -- %tidemark check %t 2> %t.out; test $? = 3
// RUN: grep 'raise the limit on processes, ulimit -u' %t.out
// RUN: for m in pm cxl; do %t.deny 56=11 57=11 435=11 -- %tidemark check --model=$m --isolate %t 2> %t.out; test $? = 3 || exit 1; grep 'the system starts no more processes (ulimit -u' %t.out || exit 1; done
//
// userfaultfd, ioctl (PAGEMAP_SCAN), prctl (system call dispatch), personality:
// RUN: for call in 323 16 157 135; do for m in pm cxl; do %t.deny $call=1 -- %tidemark check --quiet --model=$m %t || exit 1; done; done
//
// RUN: for call in 56=11 293=24; do %t.deny $call -- %tidemark litmus --jobs=2 %S/../../litmus/x86/2+2W.litmus %S/../../litmus/x86/2+2W.litmus 2> %t.out; test $? = 3 || exit 1; grep 'ask for fewer (--jobs=N)' %t.out || exit 1; done
// RUN: unshare -m true 2> /dev/null || exit 0; unshare -m sh -c 'mount -t tmpfs none /proc; %tidemark check %t 2> %t.out; test $? = 3' && grep 'without /proc: .*mount -t proc' %t.out
#include <immintrin.h>
#include <tidemark.h>
#include <unistd.h>

/* Descriptors that stay open at every decision about a failure: checkpoints keep them. */
int main(int argc, char **argv) {
  long *p = tidemark_region("p", 1024);
  for (int i = 0; argc > 1 && i < 200; i++)
    dup(1);
  for (int i = 0; i < 10; i++) {
    p[i * 8] = tidemark_machine() + 1;
    _mm_clflush(p + i * 8);
  }
  return 0;
}
