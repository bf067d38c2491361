/* Which field of which struct does a store or load of an analysis concern?
 *
 * The source line says its name, debug information what has a field of that name and size.  If several
 * things do, and differ in what would be said about them, nothing is said. */
#ifndef REPORT_FIELD_H
#define REPORT_FIELD_H

#include "finding/finding.h"
#include "report/source.h"
#include "report/symbol.h"

/* Name the fields of the finding's parts, and in the fix of a race the type to use.  object: the program,
 * or NULL. */
void fields_name(struct finding *f, struct sources *sources, struct symbols *symbols,
                 const char *object);

#endif
