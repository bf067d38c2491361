/* Accesses of different sizes that overlap.
 *
 * A location is a cell: it is read and written as a whole.  Where a test accesses parts of an
 * object, or an object at different sizes, the test is read a second time with that object cut into
 * cells of the largest size that every access is a multiple of; an access of several cells is then
 * several statements, which share stmt.access, and a model finds them by the relation sm. */
#ifndef AXIOM_MIXED_H
#define AXIOM_MIXED_H

#include "axiom/program.h"

struct mixed_plan;

/* What has to be cut, or NULL if nothing; *d and NULL if the values cannot be computed. */
struct mixed_plan *mixed_survey(const struct program *p, struct arena *a, struct diag *d);

/* The cell size of an object (a variable or an array, by name), and how many bytes of it are used;
 * false if it is not cut. */
bool mixed_object(const struct mixed_plan *plan, const char *name, int *cell_bytes, int *bytes);

/* The size of the pieces of the access at `address` (an expression) that stands at `where`; 0 if it
 * is in one piece.  The locations must have been made by the plan. */
int mixed_piece(const struct mixed_plan *plan, const struct program *p, int address,
                struct place where);

#endif
