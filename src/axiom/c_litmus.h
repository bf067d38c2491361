/* herd's C litmus tests: threads are functions P0, P1 ... over pointers to shared variables.
 *
 * c_read.c runs a function while it reads it: assignments to locals become expressions, branches
 * guards, and the body of a loop is read once more for each time it may go round.  c_calls.c knows
 * the primitives: C11 atomics and the Linux kernel's.  A shared access outside of them is plain.
 * The branches of an `if` depend on its condition; what follows it does not. */
#ifndef AXIOM_C_LITMUS_H
#define AXIOM_C_LITMUS_H

#include "axiom/litmus_internal.h"

enum { C_LITMUS_STYLE = SCAN_ML_COMMENTS | SCAN_C_COMMENTS };

void c_read_threads(struct litmus_reader *r);
void c_initial_register(struct litmus_reader *r, int thread, const char *name, int64_t value);

/* What a local holds in the end; -1 if the thread has no such local. */
int c_final_register(struct litmus_reader *r, int thread, const char *name);

#endif
