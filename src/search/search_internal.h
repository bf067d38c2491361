/* What the parts of the pm search share: search.c (walks), search_analyses.c (who hears of it), search_schedule.c (what
 * happens next in a walk), search_program.c (runs the program), search_unit.c (divides a search) and traces.c. */
#ifndef SEARCH_SEARCH_INTERNAL_H
#define SEARCH_SEARCH_INTERNAL_H

#include "search/search.h"

/* Run the program along the path to `from` and, if that node is not executed yet, beyond it to an end. */
void search_run_program(int level, struct memo_node *from);

/* Which option of a schedule node is tried first; option_count: none, because all are in the sleep set.  And the sleep
 * set after option `taken`. */
uint32_t search_first_option(const struct memo_node *n, struct strategy_state *picks,
                             const struct sleep *sleep);
void search_sleep_take(struct sleep *s, const struct memo_node *n, uint32_t taken);

/* Must the search be left? */
bool search_over(void);
void search_begin_again(void); /* forget everything except who shares what, and all counts */
void search_count_again(void); /* forget the counts only */

/* Explore everything in the range of the choices; and unit by unit (search_unit.c). */
void search_explore_range(void);
void search_forget_initial(void); /* the trie of executions before any failure */
void search_explore_units(void);

/* An execution is covered.  also: the results of threads that failed after the first one had. */
void search_finish(uint32_t result, const uint32_t *also, uint32_t count);

/* Walks that begin again from their start, and who is told of their executions (search_again.c).  A walk begins, and
 * ends; the range begins where the search was left, or it ends here. */
void search_walk_begins(void);
void search_walk_ends(void);
void search_return(void);
void search_stopped_here(struct choices *c);
/* The execution under way is complete, with the result of n. */
void search_tell(const struct memo_node *n, int level);
bool search_take(struct walk *w, const struct tally *t); /* struct walk_user */
bool search_walk_again(struct walk *w);
bool search_is_settled(struct walk *w);
bool search_relents(struct walk *w);

/* Take this failure as the next choice, and explore what follows it. */
void search_fail(int level, const struct history_failure *f);
struct history_failure search_describe_point(uint32_t event, uint32_t which);

/* Along the execution that is walked: this event happened; this store was made, at that moment (memory/line.h). */
void search_note_step(int level, uint32_t event);
void search_apply_store(int level, const struct event *e, uint32_t index, uint32_t moment);

/* What analyses hear of (search_analyses.c).  This load was answered, or a part of a chain was, which may be told as a
 * whole; a checksum validation has ended; several answers are possible (struct walk_user). */
void search_note_load(struct walk *w, const struct memo_load *n, const struct candidate *taken,
                      uint64_t value);
void search_note_loads(struct walk *w, const struct memo_load *n, uint32_t count);
bool search_may_skim(struct walk *w, const struct memo_chain *part);
void search_note_checksum(bool valid);

/* Can a store be lost although that step happens after it and the moment has come?  (walk.matters) */
bool search_matters(int domain, uint32_t step, uint32_t moment);
void search_note_candidates(struct walk *w, const struct memo_load *n, struct choice *choice);

/* Where executions are joined they forget what they have read, and analyses would hear of loads again: memory keeps
 * what they have been told. */
void search_watch(void);

/* The walk has come to a schedule node.  follow: the first option that is tried; NULL: every option was tried in
 * another order.  next: the following option; NULL: there is none, and the choice is closed. */
struct memo_node *search_follow_schedule(struct memo_node *n);
struct memo_node *search_next_option(struct walk *w, struct memo_node *n);

/* Are sleep sets used, so that of orders which nobody can tell apart one is tried? */
bool search_sleeps(void);

#endif
