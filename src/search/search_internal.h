/* What search.c, which walks, and search_program.c, which runs the program, share. */
#ifndef SEARCH_SEARCH_INTERNAL_H
#define SEARCH_SEARCH_INTERNAL_H

#include "search/search.h"

/* Run the program along the path to `from` and, if nobody has been there, beyond. */
void search_run_program(int level, struct memo_node *from);

/* The option that is tried first at that point; option_count: none, all sleep.  And its effect on
 * what sleeps. */
uint32_t search_first_option(const struct memo_node *n, struct strategy_state *picks,
                             const struct sleep *sleep);
void search_sleep_take(struct sleep *s, const struct memo_node *n, uint32_t taken);

/* Are orders that nobody can tell apart left out? */
bool search_sleeps(void);

#endif
