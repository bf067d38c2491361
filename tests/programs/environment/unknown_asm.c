// Assembly that is not understood: nothing can be said about the program, in any model; the place is
// named.
// RUN: %tidemark_cc -w -g %s -o %t
// RUN: for m in pm cxl sc tso; do %tidemark check --model=$m --json=%t.json %t now > %t.txt 2>&1; test $? = 3 || exit 1; %FileCheck %s < %t.txt || exit 1; %FileCheck --check-prefix=JSON %s < %t.json || exit 1; done
// RUN: for m in pm "cxl --isolate" "pm --isolate" cxl; do %tidemark check --model=$m --json=%t.json %t later > %t.txt 2>&1; test $? = 3 || exit 1; %FileCheck %s < %t.txt || exit 1; done
// CHECK: inline assembly that touches memory and is not understood: push ($0); pop 8($0)
// CHECK: unknown_asm.c:[[#@LINE+11]]:
// JSON: "error": "inline assembly that touches memory and is not understood
// JSON: "error_stack": [
// JSON: "line": [[#@LINE+8]],
// JSON: "findings": []
#include <string.h>
#include <tidemark.h>

int main(int argc, char **argv) {
  long *p = tidemark_region("r", 4096);
  if (argc > 1 && (!strcmp(argv[1], "now") || tidemark_failures()))
    __asm__ volatile("push (%0); pop 8(%0)" ::"r"(p) : "memory");
  p[0] = 1;
  __builtin_ia32_clflush(p);
  return 0;
}
