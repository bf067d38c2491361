/* Writes that a read cannot see, since program order hides them: later ones, and earlier ones behind
 * which there is another one at the same place.  Program order here begins with what a thread's
 * creator has done before.  This holds under models that keep it (c_model_is_coherent). */
#ifndef CPROG_C_HIDDEN_H
#define CPROG_C_HIDDEN_H

#include "cprog/c_exec.h"

/* By part: of a read, the last write at its place that is always executed before it; else -1. */
int *c_hidden_find(struct c_exec *x);

/* May a read see a write, both by number of the part? */
bool c_hidden_sees(const struct c_exec *x, const int *hiders, int read, int write);

/* The same for all parts at once, before the program is finished, and then for its statements. */
struct c_hidden_pairs {
  int parts;
  unsigned char *unseen, *in_order; /* [a * parts + b], see struct program */
  unsigned char *hides_first;       /* by part that reads: what was there first */
};

struct c_hidden_pairs c_hidden_pairs(struct c_exec *x);
void c_hidden_note(struct c_exec *x, const struct c_hidden_pairs *all);

#endif
