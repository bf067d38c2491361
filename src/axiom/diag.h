/* Where something stands in an input file, and the one error a reader of it may give.
 *
 * A parser stops at its first error: it fills a diag and jumps back to its entry point (everything
 * it built is in an arena).  A diag is printed as "file:line:column: message". */
#ifndef AXIOM_DIAG_H
#define AXIOM_DIAG_H

struct place {
  const char *file; /* lives as long as the test or model */
  int line, column; /* from 1; 0 = nowhere */
};

struct diag {
  struct place place;
  char file[512];
  char message[512];
};

void diag_set(struct diag *d, struct place where, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
