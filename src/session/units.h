/* A worker that explores units of a search over schedules (explore/dpor_unit.h), as the supervisor says.
 *
 * Each is explored for a certain amount of work, and then divided: so it does not depend on the number of workers
 * which units there are. */
#ifndef SESSION_UNITS_H
#define SESSION_UNITS_H

#include "explore/dpor.h"
#include "explore/sharing.h"
#include "search/unit_end.h"
#include <stdbool.h>

struct results;
struct bigint;

/* count, executions, more: as in ranges.h. */
void units_begin(struct dpor *d, struct sharing *s, void (*count)(struct results *r),
                 uint64_t *executions, struct bigint *more);

/* What a unit has learnt besides, as text without blanks; the rest of it is told that again. */
struct str;
void units_learn(void (*tell)(struct str *out), void (*hear)(const char *text));

/* Wait for the next one, and load it.  False: there is none.  *whole: it is all of the search, from its
 * beginning, so nobody else relies on anything. */
bool units_next(bool *whole);

/* After an execution, when there are more.  False: the rest was handed over. */
bool units_go_on(void);

void units_end(enum unit_end how);

/* The same one once more, from its beginning. */
void units_reload(void);

#endif
