/* Source files whose names are relative to where they were compiled.
 *
 * The instrumentation keeps names as the compiler got them.  A name that means nothing from where
 * the check was made is looked for in the folders in which the program's units were compiled. */
#ifndef REPORT_LOCATE_H
#define REPORT_LOCATE_H

#include "report/symbol.h"

struct locator;

struct locator *locator_create(struct symbols *symbols, const char *directory);
void locator_free(struct locator *l);

/* Also look where the units of this executable or library were compiled. */
void locator_add_object(struct locator *l, const char *object);

/* Make p->file absolute if that is what it takes to find it. */
void locator_resolve(struct locator *l, struct place *p);

#endif
