/* Reads the condition of a test: exists, ~exists, forall over final registers and memory.
 *
 * Both front ends use it; they differ only in what a name means, which `operand` decides: it reads
 * one register or location at the scanner and gives its expression.  Both spellings of the
 * connectives are accepted (herd's slash-backslash, not, = and C's &&, ||, !, ==). */
#ifndef AXIOM_CONDITION_H
#define AXIOM_CONDITION_H

#include "axiom/program.h"
#include "axiom/scan.h"

struct condition_reader {
  struct scan *scan;
  struct program *program;
  /* `right` is true on the right of a comparison, where herd reads a bare name as an address. */
  int (*operand)(struct condition_reader *r, bool right);
  void *context;
  int bits;     /* set by `operand`: the size of what it read, if that is less than 64 bits */
  bool whole;   /* set by `operand`: it has read a whole comparison, such as t={1,2} */
  bool listing; /* names are only listed: one that does not exist is 0 */
};

/* The whole "exists ..." clause; false if there is none at the scanner. */
bool condition_read(struct condition_reader *r);
int condition_read_formula(struct condition_reader *r);

/* Makes `name` part of the final state (once). */
/* `bits` as in struct observed. */
void condition_observe(struct program *p, const char *name, int expr, int bits);

/* The order in which states are printed: registers by thread, then memory, then nvm. */
void condition_sort_observed(struct program *p);

#endif
