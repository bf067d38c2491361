/* What search.c, which walks, and search_program.c, which runs the program, share. */
#ifndef RUNTIME_SEARCH_INTERNAL_H
#define RUNTIME_SEARCH_INTERNAL_H

#include "runtime/search.h"

/* Run the program along the path to `from` and, if nobody has been there, beyond. */
void search_run_program(int level, struct memo_node *from);

/* The answers to a load go to the end of history.candidates; returns the index of the first. */
size_t search_answers(struct line *l, int offset, int size);

/* Are orders that nobody can tell apart left out? */
bool search_sleeps(void);

#endif
