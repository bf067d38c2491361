/* A worker that explores units of a search over schedules (explore/dpor_unit.h), as the supervisor says.
 *
 * Each is explored for a certain amount of work, and then divided.  What is counted as work follows from the unit alone,
 * not from what the worker has learnt in others, nor from time: so it does not depend on the number of workers
 * which units there are.
 *
 * Where what follows one execution takes long (pm), the rest of the unit is given away meanwhile: it begins with the
 * same execution, which is run once more, and is divided then as it would have been at its end. */
#ifndef SESSION_UNITS_H
#define SESSION_UNITS_H

#include "explore/dpor.h"
#include "explore/sharing.h"
#include "search/unit.h"
#include <stdbool.h>

struct results;
struct bigint;

/* price: what an execution, or a run that was in vain, costs besides its steps, in steps.  count, executions, more: as in ranges.h. */
void units_begin(struct dpor *d, struct sharing *s, uint64_t price,
                 void (*count)(struct results *r), uint64_t *executions, struct bigint *more);

void units_set_form(const struct unit_form *f); /* not by the reduction but so */

/* What a unit has learnt besides, as text without blanks; the rest of it is told that again. */
struct str;
void units_learn(void (*tell)(struct str *out), void (*hear)(const char *text));

/* Steps of the program that count as work. */
void units_add_steps(uint64_t n);

/* Wait for the next one, and load it.  False: there is none. */
bool units_next(struct unit *u);

/* What follows an execution is about to be explored; some of that was; is what comes after it left to others? */
void units_cover(void);
void units_look(void);
bool units_is_left(void);

/* After an execution, when there are more.  False: the rest was handed over. */
bool units_go_on(void);

void units_end(enum unit_end how);

/* The same one once more, from its beginning. */
void units_reload(void);

#endif
