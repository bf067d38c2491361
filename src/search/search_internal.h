/* What search.c, which walks, search_schedule.c, which says what happens next in the walk, search_program.c,
 * which runs the program, and traces.c share. */
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

/* Must the search be left? */
bool search_over(void);
void search_begin_again(void); /* nothing was found yet */

/* An execution is covered, with its result and those of threads that failed after another one had. */
void search_finish(uint32_t result, const uint32_t *also, uint32_t count);

/* The failure is the next choice; explore what follows it. */
void search_fail(int level, const struct history_failure *f);
struct history_failure search_describe_point(uint32_t event, uint32_t which);

/* Along the execution that is walked: this happened; this store was made. */
void search_note_step(int level, uint32_t event);
void search_apply_store(int level, const struct event *e, uint32_t index, uint32_t moment);

/* The walk has come to a schedule node: what happens next; NULL: it was tried in another order.  And what is
 * tried after that; NULL: nothing, and the choice is closed. */
struct memo_node *search_follow_schedule(struct memo_node *n);
struct memo_node *search_next_option(struct walk *w, struct memo_node *n);

/* Are orders that nobody can tell apart left out? */
bool search_sleeps(void);

#endif
