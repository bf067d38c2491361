// A report names a file and a function in one way, also for assert, which knows them as the compiler
// got them: __FILE__ is absolute here, the function is "int main(void)".
// RUN: mkdir -p %t.dir && cp %s %t.dir/file.c && cd %t.dir
// RUN: %tidemark_cc %t.dir/file.c -o prog
// RUN: %tidemark check --json=r.json --sarif=r.sarif ./prog > out.txt 2>&1; test $? = 1
// RUN: grep -h '"file": "' r.json | tr -d ' ,' | sort -u > names
// RUN: grep -h '"function": "' r.json | tr -d ' ,' | sort -u >> names
// RUN: grep -h '"uri": ".*c"' r.sarif | tr -d ' ,' | sort -u >> names
// RUN: printf '"file":"file.c"\n"function":"main"\n"uri":"file.c"\n' | diff - names
#include <assert.h>
#include <immintrin.h>
#include <tidemark.h>

int main(void) {
  long *p = tidemark_region("r", 4096);
  if (p[8]) {
    assert(p[0] == 7);
    return 0;
  }
  p[0] = 7;
  p[8] = 1;
  _mm_clflush(p + 8);
  _mm_sfence();
  return 0;
}
