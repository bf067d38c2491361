// Every execution finds the same standard input, from its first byte on: from a file, from a pipe,
// with --stdin, in all modes; a replay needs the same bytes; a terminal is empty and the report says so.
// RUN: %tidemark_cxx -g %s -o %t && printf '1\n2\n3\n' > %t.in
// RUN: for o in "" --isolate --no-share; do %tidemark check $o %t < %t.in 2>&1 | %FileCheck %s || exit 1; done
// CHECK: 1 x sum=6 durable=0 first=1
// CHECK-NEXT: 2 x sum=6 durable=1 first=1
// CHECK-NEXT: 2 x sum=6 durable=3 first=1
// CHECK-NEXT: 2 x sum=6 durable=6 first=1
// CHECK: no findings; the search is complete
// CHECK-NOT: terminal
// RUN: cat %t.in | %tidemark check %t 2>&1 | %FileCheck %s
// RUN: %tidemark check --stdin=%t.in %t < /dev/null 2>&1 | %FileCheck %s
// RUN: (sleep 0.3; cat %t.in) | %tidemark check --hang-seconds=1 %t 2>&1 | %FileCheck %s
//
// Every machine has its own from the start.
// RUN: for o in "" --isolate --no-share; do %tidemark check --model=cxl $o %t < %t.in 2>&1 | %FileCheck --check-prefix=CXL %s || exit 1; done
// CXL-NOT: sum={{[^6]}}
// CXL: 1 x sum=6 durable=6 first=1; sum=6 durable=6 first=1
// CXL-NOT: sum={{[^6]}}
// CXL: no findings; the search is complete
//
// Nobody waits for a pipe that the program does not read, nor takes what others will read from it.
// RUN: printf 'a\nb\n' > %t.list; while read x; do %tidemark check --quiet %t unused || exit 1; echo $x; done < %t.list > %t.seen; cmp %t.list %t.seen
// RUN: rm -f %t.fifo; mkfifo %t.fifo; exec 3<> %t.fifo; timeout 60 %tidemark check --quiet %t unused <&3
//
// RUN: %tidemark check --json=%t.json %t fails < %t.in 2> %t.err; test $? = 1
// RUN: %tidemark replay %t.json < /dev/null > %t.out 2>&1; grep 'replay: reproduced' %t.out
// RUN: cat %t.in | %tidemark check --json=%t.json %t fails 2> %t.err; test $? = 1
// RUN: %tidemark replay %t.json < /dev/null > %t.out 2>&1; test $? = 5
// RUN: grep 'the standard input is not that of the check (6 bytes then, 0 now)' %t.out
// RUN: cat %t.in | %tidemark replay %t.json > %t.out 2>&1; test $? = 1; grep 'replay: reproduced' %t.out
// RUN: %tidemark replay %t.json --stdin=%t.in > %t.out 2>&1; grep 'replay: reproduced' %t.out
// RUN: %tidemark replay %t.json --gdb 2> %t.out; test $? = 2
// RUN: grep 'the check read 6 bytes from a pipe: give the same ones again, with --stdin=FILE$' %t.out
//
// RUN: python3 -c 'import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))' %tidemark check --json=%t.json %t empty > %t.out
// RUN: grep 'standard input, which was empty because it is a terminal' %t.json
// RUN: python3 -c 'import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))' %tidemark check --json=%t.json %t unused > %t.out
// RUN: test $(grep -c 'is a terminal' %t.json) = 0
//
// RUN: %tidemark check --stdin=%t.missing %t 2> %t.err; test $? = 2
// RUN: grep 'stdin: cannot read .*missing: No such file' %t.err
// RUN: head -c 1100000000 /dev/zero | %tidemark check %t 2> %t.err; test $? = 3
// RUN: grep 'a standard input of more than 1 GiB is not supported' %t.err
#include <fcntl.h>
#include <immintrin.h>
#include <iostream>
#include <tidemark.h>
#include <unistd.h>

/* The other ways to the same bytes; the first one. */
static char first_byte() {
  char c[4] = "";
  int copy = dup(0), path = open("/dev/stdin", O_RDONLY);
  tidemark_assert(lseek(0, 0, SEEK_END) == 6 && lseek(copy, 0, SEEK_SET) == 0);
  tidemark_assert(read(path, c, 2) == 2 && c[0] == '1' && c[1] == '\n');
  tidemark_assert(pread(0, c, 1, 2) == 1 && c[0] == '2');
  tidemark_assert(write(0, "9", 1) < 0);
  return read(0, c, 1) == 1 ? c[0] : '?';
}

int main(int argc, char **argv) {
  long *p = (long *)tidemark_region("p", 64);
  if (argc > 1 && argv[1][0] == 'u') {
    p[0] = 1;
    _mm_clflush(p);
    return 0;
  }
  long sum = 0, n;
  if (argc > 1 && argv[1][0] == 'e')
    p[0] = 1;
  while (std::cin >> n) {
    sum += n;
    if (tidemark_failures() == 0) {
      p[0] = sum;
      _mm_clflush(p);
    }
  }
  if (argc > 1 && argv[1][0] == 'f')
    tidemark_assert(tidemark_failures() == 0 || p[0] != 3);
  if (sum)
    tidemark_outcome("sum=%ld durable=%ld first=%c", sum, p[0], first_byte());
  return 0;
}
