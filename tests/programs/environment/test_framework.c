// A program that ends with a bad exit status after its test framework has printed which line failed: the finding says
// what was printed there, and tests that fail are told apart by it, not by how many there are.
// RUN: %tidemark_cc -g %s -o %t
// RUN: ! %tidemark check --model=sc %t google 2> %t.txt
// RUN: %FileCheck --check-prefix=GOOGLE %s < %t.txt
// RUN: ! %tidemark check --model=sc --isolate %t google 2> %t.txt
// RUN: %FileCheck --check-prefix=GOOGLE %s < %t.txt
// RUN: ! %tidemark check --model=sc %t catch 2> %t.txt
// RUN: %FileCheck --check-prefix=CATCH %s < %t.txt
// RUN: ! %tidemark check --model=sc %t check 2> %t.txt
// RUN: %FileCheck --check-prefix=CHECK %s < %t.txt
// RUN: ! %tidemark check --model=sc %t boost 2> %t.txt
// RUN: %FileCheck --check-prefix=BOOST %s < %t.txt
// RUN: ! %tidemark check --model=sc %t log 2> %t.txt
// RUN: %FileCheck --check-prefix=LOG %s < %t.txt
// RUN: ! %tidemark check --model=sc --json=%t.json %t two
// RUN: %FileCheck --check-prefix=TWO %s < %t.json
#include <stdio.h>
#include <string.h>
#include <tidemark.h>
#include <unistd.h>

static int failed;

static void expect(int line, int value) {
  if (value)
    return;
  failed++;
  printf("/home/me/queue_test.cc:%d: Failure\nExpected equality of these values:\n  size(q)\n    "
         "Which is: 1\n  2\n[  FAILED  ] Queue.push (3 ms)\n",
         line);
  fflush(stdout);
}

int main(int argc, char **argv) {
  const char *how = argc > 1 ? argv[1] : "";
  if (!strcmp(how, "google")) {
    // GOOGLE: exit status 1; it said: /home/me/queue_test.cc:14: Failure Expected equality of these values: size(q) Which is: 1 2{{$}}
    // GOOGLE: 1 finding; the search is complete
    printf("[ RUN      ] Queue.push\n");
    expect(14, 0);
    printf("\n 1 FAILED TEST\n");
    return 1;
  }
  if (!strcmp(how, "catch")) {
    // A place alone says nothing, and lines come in pieces.
    // CATCH: exit status 1; it said: queue_test.cpp:7: FAILED: REQUIRE( size(q) == 2 ) with expansion: 1 == 2{{$}}
    puts("queue_test.cpp:5\n......\n");
    fflush(stdout);
    fputs("queue_te", stdout);
    fflush(stdout);
    puts("st.cpp:7: FAILED:\n  REQUIRE( size(q) == 2 )\nwith expansion:\n  1 == 2\n\n=====\nfailed: 1");
    return 1;
  }
  if (!strcmp(how, "check")) {
    // CHECK: exit status 1; it said: queue.c:4:F:core:bad:0: Assertion 'size(q) == 2' failed{{$}}
    puts("50%: Checks: 2, Failures: 1, Errors: 0");
    puts("queue.c:4:F:core:bad:0: Assertion 'size(q) == 2' failed");
    return 1;
  }
  if (!strcmp(how, "boost")) {
    // BOOST: exit status 201; it said: queue.cpp(4): error: in "push": check size(q) == 2 has failed{{$}}
    fputs("Running 1 test case...\nqueue.cpp(4): error: in \"push\": check size(q) == 2 has failed\n\n", stderr);
    fputs("*** 1 failure is detected in the test module \"queue\"\n", stderr);
    return 201;
  }
  if (!strcmp(how, "log")) {
    // Not every line with a place is a complaint.
    // LOG: exit status 1; it said: gave up{{$}}
    puts("queue.c:4: info: started");
    fputs("gave up\n", stderr);
    return 1;
  }
  // TWO: "complete": true
  // TWO: "executions": 4
  // TWO-DAG: "said": "/home/me/queue_test.cc:14: Failure
  // TWO-DAG: "said": "/home/me/queue_test.cc:16: Failure
  // TWO-NOT: "said": "{{.}}
  int first = tidemark_choose(2), second = tidemark_choose(2);
  expect(14, first);
  expect(16, second);
  return failed;
}
