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

#endif
