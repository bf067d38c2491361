/* A program that also contains objects of a compiler that writes .debug_aranges, as gcc does: what was
 * built without them keeps its places in reports.
 *
 * RUN: for n in 1 2; do echo "int plain$n(void) { return $n; }" > %t.plain$n.c && %clang -g -gdwarf-aranges -fPIC -c %t.plain$n.c -o %t.plain$n.o || exit 1; done
 * RUN: %tidemark_cc -c %s -o %t.o && %tidemark_cc %t.plain1.o %t.o %t.plain2.o -o %t
 * RUN: %tidemark check %t > %t.txt 2>&1; test $? = 1
 * RUN: %FileCheck %s < %t.txt
 */
#include <stdlib.h>
#include <tidemark.h>

int plain1(void), plain2(void);

static void complain(void) {
  abort();
  // CHECK: error[abort]
  // CHECK-NEXT: other_compiler.c:[[@LINE-2]]:3
  // CHECK: other_compiler.c:{{.*}} main
}

int main(void) {
  long *p = tidemark_region("p", 64);
  if (tidemark_failures() && !*p)
    complain();
  *p = plain1() + plain2();
  return 0;
}
