// A program that ends itself after a failure: bugs are told apart by what it says last, numbers aside,
// and by who called the function that ends it; and the report shows what it said.
// RUN: %tidemark_cc -g %s -o %t
// RUN: ! %tidemark check --json=%t.json %t abort 2> %t.txt
// RUN: %FileCheck --check-prefix=ABORT %s < %t.json
// RUN: %FileCheck --check-prefix=TEXT %s < %t.txt
// RUN: ! %tidemark check --isolate --json=%t.json %t abort
// RUN: %FileCheck --check-prefix=ABORT %s < %t.json
// RUN: ! %tidemark check --json=%t.json %t exit
// RUN: %FileCheck --check-prefix=EXIT %s < %t.json
// RUN: ! %tidemark check --json=%t.json %t once
// RUN: %FileCheck --check-prefix=ONCE %s < %t.json
// RUN: ! %tidemark check --json=%t.json %t status
// RUN: %FileCheck --check-prefix=STATUS %s < %t.json
// RUN: %tidemark_cc -g -O2 %s -o %t
// RUN: ! %tidemark check --json=%t.json %t abort
// RUN: %FileCheck --check-prefix=ABORT %s < %t.json
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tidemark.h>

static const char *how;

static void complain(const char *what, int value) {
  fprintf(stderr, "failed: %s (%d)\n", what, value);
}

__attribute__((noinline)) static void check(int ok, const char *what, int value) {
  if (ok)
    return;
  complain(what, value);
  if (!strcmp(how, "exit"))
    exit(3);
  abort();
}

__attribute__((noinline)) static void check_once(int ok) {
  if (!ok) {
    fprintf(stderr, "gone\n");
    abort(); // ONCE
  }
}

// ABORT: "complete": true
// ABORT: "kind": "abort"
// ABORT: "said": "failed: first ({{[0-9]+}})"
// ABORT: "line": [[#@LINE+12]],
// ABORT: "kind": "abort"
// ABORT: "said": "failed: second ({{[0-9]+}})"
// ABORT: "line": [[#@LINE+10]],
// ABORT-NOT: "kind": "abort"
// TEXT: error[abort]: the program aborted: abort called; it said: failed: first (
// EXIT: "kind": "exit-status"
// EXIT: "said": "failed: first ({{[0-9]+}})"
// EXIT: "kind": "exit-status"
// EXIT: "said": "failed: second ({{[0-9]+}})"
// EXIT-NOT: "kind": "exit-status"
static void recover(const int *p) {
  check(p[0] == 3, "first", p[0]);
  check(p[16] == 3, "second", p[16]);
}

// A function that is called from one place is a place like any other.
// ONCE: "kind": "abort"
// ONCE: "said": "gone"
// ONCE: "line": [[#@LINE-26]],
// STATUS: "kind": "exit-status"
// STATUS: "said": "one value"
// STATUS: "kind": "exit-status"
// STATUS: "said": "another"
// STATUS-NOT: "kind": "exit-status"
int main(int argc, char **argv) {
  int *p = tidemark_region("r", 4096);
  how = argc > 1 ? argv[1] : "";
  if (!tidemark_failures()) {
    for (int i = 1; i < 4; i++)
      p[16] = p[0] = i;
    __builtin_ia32_clflush(p);
    __builtin_ia32_clflush(p + 16);
  } else if (!strcmp(how, "once")) {
    check_once(p[0] == 3);
  } else if (!strcmp(how, "status")) {
    if (p[0] == 2)
      fprintf(stderr, "one value\n");
    else if (p[0] == 1)
      fprintf(stderr, "another\n");
    return p[0] == 1 || p[0] == 2;
  } else {
    recover(p);
  }
  return 0;
}
