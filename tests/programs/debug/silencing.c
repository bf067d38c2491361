// Known findings are silenced, in a real check: the others decide.
// RUN: rm -rf %t && mkdir -p %t && cd %t && cp %s prog.c && %tidemark_cc -g prog.c -o prog
// RUN: %tidemark check --json=old.json --write-suppressions=known ./prog > out 2>&1; test $? = 1
// RUN: %FileCheck --check-prefix=FOUND %s < out
// RUN: %tidemark check --suppressions=known ./prog > out 2>&1; test $? = 0
// RUN: %FileCheck --check-prefix=SILENCED %s < out
// RUN: %tidemark check --keep-going --suppressions=known ./prog 1 > out 2>&1; test $? = 1
// RUN: %FileCheck --check-prefix=NEW %s < out
// A line more, and a baseline still knows it; a suppression of the line does not.
// RUN: sed -i '1i // a new line' prog.c && %tidemark_cc -g prog.c -o prog
// RUN: %tidemark check --baseline=old.json --json=new.json ./prog > out 2>&1; test $? = 0
// RUN: %FileCheck --check-prefix=BASELINE %s < out
// RUN: %tidemark check --keep-going --baseline=old.json ./prog 1 > out 2>&1; test $? = 1
// RUN: %tidemark check --suppressions=known ./prog > out 2>&1; test $? = 1
// RUN: %FileCheck --check-prefix=MOVED %s < out
// RUN: echo 'assertion:recover' > known && %tidemark check --suppressions=known ./prog > out 2>&1; test $? = 0
// RUN: echo 'assert*:p*.c:[1-9]?' > known && %tidemark check --suppressions=known ./prog > out 2>&1; test $? = 0
// RUN: echo 'assertion:prog.c:1??' > known && %tidemark check --suppressions=known ./prog > out 2>&1; test $? = 1
// FOUND: 1 finding; the search is complete
// SILENCED-NOT: error[
// SILENCED: no findings; 1 finding is silenced (1 by known); the search is complete
// NEW: error[exit-status]
// NEW: 1 finding; 1 finding is silenced (1 by known); the search is complete
// BASELINE: no findings; 1 finding is silenced (1 by old.json); the search is complete
// MOVED: error[assertion]
// MOVED: 1 finding; the search is complete
// MOVED: note: known:2: no finding fits 'assertion:prog.c:{{[0-9]+}}' any more
#include <tidemark.h>

static void recover(const int *x) {
  tidemark_assert(x[0] == x[16]);
}

int main(int argc, char **argv) {
  (void)argv;
  int *x = tidemark_region("x", 128);
  if (tidemark_failures() == 0)
    x[0] = x[16] = 1;
  if (argc > 1 && x[0] == 1 && x[16] == 1)
    return 7;
  recover(x);
  return 0;
}
