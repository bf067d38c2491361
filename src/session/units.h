/* A worker's side of a search over schedules in units (explore/dpor_unit.h); cli/units.h is the supervisor's.
 *
 * The worker explores a unit for a certain amount of work, then divides it and hands the rest back.  What counts as
 * work follows from the unit alone, not from time or from what the worker has learnt elsewhere: so which units there
 * are, and with them the results, do not depend on the number of workers.
 *
 * pm: exploring the failures in one execution may take long.  Then the rest of the unit is given away meanwhile
 * (units_look): it begins with the same execution, which is run once more there, and is divided then as it would have
 * been at its end.
 *
 * A unit that clings (units_cling) is divided late.  But what follows its first execution can be explored beside the
 * rest: where that takes long all of the unit is handed on, and whoever takes it, in a process of his own, runs it again
 * from its beginning, leaving out the failures in that execution.
 *
 * Executions that somebody relies on are named by a hash: whoever comes to another one says that the unit is broken, and
 * the search starts again. */
#ifndef SESSION_UNITS_H
#define SESSION_UNITS_H

#include "explore/dpor.h"
#include "explore/sharing.h"
#include "search/unit.h"
#include <stdbool.h>

struct results;
struct bigint;

/* price: what an execution, or a run that was given up, costs besides its steps, in steps.  count, executions, more: as
 * in ranges.h. */
void units_begin(struct dpor *d, struct sharing *s, uint64_t price,
                 void (*count)(struct results *r), uint64_t *executions, struct bigint *more);

void units_set_form(const struct unit_form *f); /* how units are written, if not by the reduction */

/* What a search learns on the way that units rely on: tell writes it as text without blanks, hear is called with it
 * wherever the rest of the unit goes on. */
struct str;
void units_learn(void (*tell)(struct str *out), void (*hear)(const char *text));

/* clings: may what was explored of the unit so far spare much of the rest (state merging)?  Then it is divided later,
 * because whoever takes a part begins with no states.  The answer must follow from the unit alone.  settled: it has been
 * found to pay, so the answer will hardly change. */
void units_cling(bool (*clings)(void), bool (*settled)(void));

/* Steps of the program that count as work. */
void units_add_steps(uint64_t n);

/* Wait for the next unit, and load it.  False: there is none. */
bool units_next(struct unit *u);

/* pm.  note_run: an execution before any failure took so many steps; the last call before units_cover or units_go_on
 * counts.  cover: failures in it are about to be explored; execution: a hash of which one it is.  look:
 * some of that was; if it takes long, give the rest of the unit away.  is_left: was it given away, or is it broken? */
void units_note_run(uint64_t steps);
void units_cover(uint64_t execution);
void units_look(void);
bool units_is_left(void);

/* Call it after an execution when there are more.  False: the rest was handed over. */
bool units_go_on(void);

void units_end(enum unit_end how);

/* Load the same unit once more, from its beginning. */
void units_reload(void);

#endif
