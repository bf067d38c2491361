/* One name for each source file.
 *
 * The instrumentation and assert keep names as the compiler got them, debug information has absolute
 * ones.  Reports name files below the directory of the check relative to it, others absolutely.  A name
 * that means nothing from there is looked for in the folders in which the program's units were
 * compiled. */
#ifndef REPORT_LOCATE_H
#define REPORT_LOCATE_H

#include "report/symbol.h"

struct locator;

struct locator *locator_create(struct symbols *symbols, const char *directory);
void locator_free(struct locator *l);

/* Also look where the units of this executable or library were compiled. */
void locator_add_object(struct locator *l, const char *object);

/* Give p->file that name, if the file is found. */
void locator_resolve(struct locator *l, struct place *p);

#endif
